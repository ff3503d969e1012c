import type { Address, Hex } from 'viem'

/** The paymaster service of a running Tandem, and a key to it. */
export type DevPaymaster = {
  url: string
  apiKey: string
  /** Of the key's owner: it pays for deployments and deposits. */
  wallet: Address
}

/** A sponsor's first steps, as its back end does them: a paymaster of its own for EntryPoint 0.8, money, a sender. */
export async function becomeSponsor(
  paymaster: DevPaymaster,
  sender: Address,
  say: (line: string) => void,
): Promise<void> {
  const { verifyingPaymaster } = await post(paymaster, '/deployVerifyingPaymaster?wait=true', ['EPV_08'])
  say(`the key's owner deployed its paymaster ${verifyingPaymaster}`)
  await post(paymaster, '/addStake?wait=true', ['EPV_08', '1'])
  await post(paymaster, '/deposit/v3?wait=true', ['1'])
  await post(paymaster, '/whitelist/v3', [[sender]])
  say(`and staked 1 ETH and deposited 1 ETH in it, to sponsor ${sender}`)
}

/** The operator's paymaster that takes a token. */
export async function tokenPaymasterOf(
  paymaster: DevPaymaster,
  { token, entryPoint }: { token: Address; entryPoint: Address },
): Promise<Address> {
  const { message = '[]' } = await post(paymaster, '/getAllCommonERC20PaymasterAddress', [entryPoint])
  const entries = JSON.parse(message) as { paymasterAddress: Address; gasToken: Address }[]
  const entry = entries.find(({ gasToken }) => gasToken === token)
  if (entry === undefined) throw new Error(`no paymaster takes ${token}`)
  return entry.paymasterAddress
}

/** Where a wallet asks for the sponsorship of its owner's operations. */
export function paymasterUrl({ url, apiKey }: DevPaymaster, chainId: number): string {
  return `${url}?${new URLSearchParams({ apiKey, chainId: String(chainId), useVp: 'true' })}`
}

type Answer = { message?: string; verifyingPaymaster?: Hex; error?: string }

async function post(
  { url, apiKey }: DevPaymaster,
  path: string,
  params: readonly (string | readonly string[])[],
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', apikey: apiKey }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ params }) })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`${path}: ${answer.error}`)
  return answer
}
