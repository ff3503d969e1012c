import { basename, dirname, join } from 'node:path'
import type { Abi, Hex } from 'viem'

export type Compiled = { abi: Abi; bytecode: Hex; deployedBytecode: Hex }

/** Where each contract of ours is, and the committed file that its compiled form is in. Paths from this folder. */
export const ours = [
  { name: 'EntryPointProbe', source: 'EntryPointProbe.sol', artifact: 'EntryPointProbe.json' },
  ...[
    'SponsorPaymaster06',
    'TokenPaymaster06',
    'TokenPaymaster07',
    'VerifyingPaymaster06',
    'VerifyingPaymaster07',
  ].map((name) => ({ name, source: `paymaster/${name}.sol`, artifact: `paymaster/artifacts/${name}.ts` })),
  ...['DevFeed', 'DevToken'].map((name) => ({
    ...{ name, source: `dev/${name}.sol`, artifact: `dev/artifacts/${name}.ts` },
  })),
] as const

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<
    string,
    Record<string, { abi: Abi; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }>
  >
}

type Solc = { compile(input: string): string }

export type CompileOptions = { evmVersion?: 'london' | 'cancun' }

/** Compiles one Solidity file with what it imports; every contract in it by name. */
export async function compile(path: string, options?: CompileOptions): Promise<Record<string, Compiled>> {
  return compileInput(await readInput(path, options))
}

/** All that the compiler makes its output of, as text. */
export type CompilerInput = { file: string; json: string }

/**
 * One Solidity file with what it imports, from its own folder or from packages. Optimized, for the London EVM, so that
 * the code runs on every chain we know, unless it needs a newer one.
 */
export async function readInput(
  path: string,
  { evmVersion = 'london' }: CompileOptions = {},
): Promise<CompilerInput> {
  const file = basename(path)
  const input = {
    language: 'Solidity',
    sources: await withImports({ name: file, path }),
    settings: {
      evmVersion,
      optimizer: { enabled: true, runs: 10_000 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  return { file, json: JSON.stringify(input) }
}

export async function compileInput({ file, json }: CompilerInput): Promise<Record<string, Compiled>> {
  const { default: solc } = (await import('solc')) as { default: Solc }
  const output = JSON.parse(solc.compile(json)) as Output
  const errors = output.errors?.filter((error) => error.severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  return Object.fromEntries(
    Object.entries(output.contracts[file] ?? {}).map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        deployedBytecode: `0x${evm.deployedBytecode.object}`,
      },
    ]),
  )
}

/** A file as solc names it, and where it is. */
type Source = { name: string; path: string }

/** The file and all that it imports, by the names that solc asks by. */
async function withImports(file: Source): Promise<Record<string, { content: string }>> {
  const sources: Record<string, { content: string }> = {}
  const open = [file]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (sources[next.name] !== undefined) continue
    const content = await Bun.file(next.path).text()
    sources[next.name] = { content }
    for (const [, imported = ''] of content.matchAll(/^import [^;]*?"([^"]+)";/gm))
      open.push(imported.startsWith('.') ? beside(next, imported) : inPackage(imported))
  }
  return sources
}

const beside = ({ name, path }: Source, imported: string): Source => ({
  name: join(dirname(name), imported),
  path: join(dirname(path), imported),
})

const inPackage = (imported: string): Source => ({
  name: imported,
  path: Bun.resolveSync(imported, import.meta.dir),
})

/** What is committed of a contract: all that is needed of it at run time. */
export async function compileOurs(
  contract: (typeof ours)[number],
): Promise<{ abi: Abi; bytecode?: Hex; deployedBytecode?: Hex }> {
  const compiled = (await compile(`${import.meta.dir}/${contract.source}`))[contract.name]
  if (compiled === undefined) throw new Error(`${contract.name} was not compiled`)
  const { abi, bytecode, deployedBytecode } = compiled
  return contract.artifact.endsWith('.json') ? { abi, deployedBytecode } : { abi, bytecode }
}

function artifactText(artifact: string, { abi, bytecode, ...rest }: Awaited<ReturnType<typeof compileOurs>>) {
  if (artifact.endsWith('.json')) return JSON.stringify({ abi, ...rest }, null, 2)
  return [
    "import type { Hex } from 'viem'\n",
    `export const abi = ${JSON.stringify(abi, null, 2)} as const\n`,
    `export const bytecode: Hex =\n  '${bytecode}'`,
  ].join('\n')
}

if (import.meta.main) {
  for (const contract of ours) {
    const text = artifactText(contract.artifact, await compileOurs(contract))
    await Bun.write(`${import.meta.dir}/${contract.artifact}`, `${text}\n`)
  }
}
