import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'

/** Makes dist/tandem: the program, its workers and libSQL's native addon in one executable of this platform. */

const root = join(import.meta.dir, '..')
const outfile = join(root, 'dist', 'tandem')
/** Workers are found in the executable under their path from the root (base/worker-url.ts). */
const entrypoints = ['src/main.ts', 'workers/simulator.ts', 'workers/submitter.ts', 'workers/store.ts'].map(
  (path) => join(root, path),
)

const addons: { readonly [platform: string]: string | undefined } = {
  'linux-x64': '@libsql/linux-x64-gnu',
  'linux-arm64': '@libsql/linux-arm64-gnu',
  'darwin-x64': '@libsql/darwin-x64',
  'darwin-arm64': '@libsql/darwin-arm64',
}

/** libSQL computes the name of its addon when it runs, which an executable cannot follow: here it is said in advance. */
function embedLibsql(addon: string): BunPlugin {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of libSQL's own source.
  const computed = 'require(`@libsql/${target}`)'
  let seen = false
  return {
    name: 'embed-libsql',
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/]libsql[\\/]index\.js$/ }, async ({ path }) => {
        seen = true
        const source = await Bun.file(path).text()
        if (!source.includes(computed)) throw new Error(`${path} does not contain ${computed} any more`)
        return { contents: source.replace(computed, `require('${addon}')`), loader: 'js' }
      })
      build.onEnd(() => {
        if (!seen) throw new Error('libsql/index.js is no part of the program any more')
      })
    },
  }
}

async function build(): Promise<void> {
  const addon = addons[`${process.platform}-${process.arch}`]
  if (addon === undefined) throw new Error(`no libSQL addon for ${process.platform} on ${process.arch}`)
  const missing = entrypoints.filter((path) => !existsSync(path))
  if (missing.length > 0) throw new Error(`entry points are missing: ${missing.join(', ')}`)
  await Bun.build({
    entrypoints,
    root,
    // Files of the directory it is started in are not the program's.
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
    format: 'esm',
    minify: true,
    bytecode: true,
    plugins: [embedLibsql(addon)],
  })
  process.stdout.write(`${outfile}: ${Math.round(Bun.file(outfile).size / 2 ** 20)} MiB\n`)
}

await build().catch((error: Error) => {
  const causes = error instanceof AggregateError ? error.errors.map(String) : [error.message]
  process.stderr.write(`build: ${causes.join('\n')}\n`)
  process.exitCode = 1
})
