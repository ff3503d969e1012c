import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Address,
  concatHex,
  createWalletClient,
  getCreate2Address,
  type Hash,
  type Hex,
  http,
  keccak256,
  parseEther,
  zeroHash,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { deterministicDeployer } from '../../src/contracts/paymaster/deployment.ts'
import { freePort } from '../../src/dev/anvil.ts'
import { type DevContracts, deployContracts } from '../../src/dev/deploy.ts'
import type { Deploy } from '../../src/dev/deployer.ts'
import { rpc } from './devChain.ts'

/**
 * A `geth --dev` of its own with the EntryPoints and factories deployed: a node with the native erc7562Tracer, and
 * none of anvil's cheats. Blocks come with transactions.
 */
export type GethChain = DevContracts & {
  url: string
  chainId: number
  /** Has all the coins there are. */
  funder: PrivateKeyAccount
  fund(address: Address, wei?: bigint): Promise<void>
  stop(): Promise<void>
}

/**
 * Version 1.16.5 is the last whose development chain has the rules of Prague:
 * `go install github.com/ethereum/go-ethereum/cmd/geth@v1.16.5`
 */
export const gethPath = Bun.which('geth')

/** Why tests on geth are skipped here; printed once. */
export function missingGeth(): boolean {
  if (gethPath !== null) return false
  console.warn('skipped: no geth on PATH (go install github.com/ethereum/go-ethereum/cmd/geth@v1.16.5)')
  return true
}

/** The chain id of `geth --dev` */
const chainId = 1337

/** The account that has all the coins of `geth --dev`: public, the same on each. */
const funder = privateKeyToAccount('0xb71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291')

/** The deterministic deployer's own transaction, which it comes with on every chain, and who must be able to pay it. */
const deployerCreation = {
  from: '0x3fAB184622Dc19b6109349B94811493BF2a45362',
  raw: '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222',
} as const satisfies { from: Address; raw: Hex }

export async function startGethChain(): Promise<GethChain> {
  const directory = await mkdtemp(join(tmpdir(), 'tandem-geth-'))
  const [port, authPort] = [await freePort(), await freePort()]
  const child = Bun.spawn(
    [
      ...[gethPath ?? 'geth', '--dev', '--dev.gaslimit', '30000000', '--datadir', directory],
      ...['--http', '--http.port', String(port), '--http.api', 'eth,debug,net,web3'],
      ...['--authrpc.port', String(authPort), '--port', '0', '--ipcdisable', '--nodiscover'],
      ...['--rpc.allow-unprotected-txs', '--verbosity', '3'],
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  )
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await listening(child.stderr)
    const wallet = createWalletClient({ account: funder, transport: http(url) })
    const fund = async (address: Address, wei = parseEther('1')) =>
      included(url, await wallet.sendTransaction({ chain: null, to: address, value: wei }))
    const deploy: Deploy = async (initCode, salt = zeroHash) => {
      const data = concatHex([salt, initCode])
      const gas = 16_000_000n
      await included(url, await wallet.sendTransaction({ chain: null, to: deterministicDeployer, data, gas }))
      return getCreate2Address({ from: deterministicDeployer, salt, bytecodeHash: keccak256(initCode) })
    }
    await fund(deployerCreation.from)
    await included(url, await sendOnceFunded(url, deployerCreation.raw))
    return { ...(await deployContracts(deploy)), url, chainId, funder, fund, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The transaction pool learns of a block, and of who has money now, a moment after its receipts are there. */
async function sendOnceFunded(url: string, transaction: Hex): Promise<Hash> {
  for (;;) {
    try {
      return await rpc<Hash>(url, 'eth_sendRawTransaction', [transaction])
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('insufficient funds')) throw error
    }
  }
}

/** Waits for the receipt, which geth refuses with an error while it indexes the block. */
async function included(url: string, hash: Hash): Promise<void> {
  for (;;) {
    const receipt = await rpc<{ status: Hex } | null>(url, 'eth_getTransactionReceipt', [hash]).catch(
      (error: Error) => {
        if (!error.message.includes('indexing is in progress')) throw error
      },
    )
    if (receipt?.status === '0x1') return
    if (receipt) throw new Error(`transaction ${hash} failed`)
  }
}

/** Reads the log until geth says that it listens, and on, so that its pipe never fills. */
async function listening(log: ReadableStream<Uint8Array>): Promise<void> {
  const reader = log.getReader()
  const decoder = new TextDecoder()
  let seen = ''
  while (!seen.includes('HTTP server started')) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`geth ended before it listened: ${seen.trim().split('\n').at(-1)}`)
    seen += decoder.decode(value)
  }
  void (async () => {
    while (!(await reader.read()).done);
  })().catch(() => {})
}
