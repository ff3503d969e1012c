import { expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'
import { Glob, Transpiler } from 'bun'

/** architecture.md §4: a file may import from its own layer's folder and from layers before it; siblings never. */
const layers: readonly (readonly string[])[] = [
  ['base'],
  ['types'],
  ['evm', 'chain', 'store', 'contracts'],
  ['validation', 'gas'],
  ['pool', 'bundler', 'paymaster'],
  ['rpc'],
  ['http'],
  ['dev', 'console'],
  ['config'],
  ['service'],
  ['commands'],
  ['main', 'build'],
]

const rankOf = new Map(layers.flatMap((names, rank) => names.map((name) => [name, rank] as const)))
const root = join(import.meta.dir, '..')
const transpiler = new Transpiler({ loader: 'ts' })

function layerOf(path: string): string {
  const [top, inner] = path.split('/')
  return top === 'src' ? (inner ?? '').replace(/\.ts$/, '') : (top ?? '')
}

for (const path of new Glob('src/**/*.ts').scanSync(root)) {
  test(`${path} imports downward only`, async () => {
    const own = layerOf(path)
    const rank = rankOf.get(own)
    expect(rank, `${own} is a known layer`).toBeDefined()
    const source = await Bun.file(join(root, path)).text()
    // Type-only imports vanish in transpilation, so they are counted from the text.
    const typeImports = [...source.matchAll(/^import type .* from '(\..*)'/gm)].map((match) => match[1] ?? '')
    const imports = [...transpiler.scanImports(source).map((found) => found.path), ...typeImports]
    for (const imported of imports.filter((found) => found.startsWith('.'))) {
      const target = layerOf(normalize(join(dirname(path), imported)))
      if (target === own || target === 'package.json') continue
      expect(rankOf.get(target) ?? 99, `${path} → ${imported}`).toBeLessThan(rank ?? -1)
    }
  })
}
