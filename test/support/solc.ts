import { basename } from 'node:path'
import type { Abi, Hex } from 'viem'

export type Compiled = { abi: Abi; bytecode: Hex; deployedBytecode: Hex }

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<
    string,
    Record<string, { abi: Abi; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }>
  >
}

/**
 * Compiles one Solidity file without imports; every contract in it by name. Optimized, for the London EVM, so that
 * the code runs on every chain we know.
 */
export async function compile(path: string): Promise<Record<string, Compiled>> {
  const { default: solc } = (await import('solc')) as { default: { compile(input: string): string } }
  const file = basename(path)
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: await Bun.file(path).text() } },
    settings: {
      evmVersion: 'london',
      optimizer: { enabled: true, runs: 10_000 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
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

/** Our own contract: its source, and the committed artifact that the source must compile to. */
export const probePaths = {
  source: `${import.meta.dir}/../../src/contracts/EntryPointProbe.sol`,
  artifact: `${import.meta.dir}/../../src/contracts/EntryPointProbe.json`,
}

export async function compileProbe(): Promise<Pick<Compiled, 'abi' | 'deployedBytecode'>> {
  const { EntryPointProbe } = await compile(probePaths.source)
  if (EntryPointProbe === undefined) throw new Error('EntryPointProbe was not compiled')
  return { abi: EntryPointProbe.abi, deployedBytecode: EntryPointProbe.deployedBytecode }
}

if (import.meta.main) {
  await Bun.write(probePaths.artifact, `${JSON.stringify(await compileProbe(), null, 2)}\n`)
}
