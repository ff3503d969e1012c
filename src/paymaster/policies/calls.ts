import {
  type Abi,
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  size,
  slice,
} from 'viem'

/** A call that an account is asked to make. `selector` is `0x` where it only sends money. */
export type Call = { to: Address; selector: Hex }

/** The execute forms of the accounts in the field. */
const abi = parseAbi([
  // SimpleAccount, Kernel 2, Light Account, Biconomy, …
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, bytes[] func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
  // SimpleAccount 0.8, Simple7702Account, Coinbase Smart Wallet
  'struct Call { address target; uint256 value; bytes data; }',
  'function executeBatch(Call[] calls)',
  // ERC-7579: Safe7579, Kernel 3, Nexus
  'function execute(bytes32 mode, bytes executionCalldata)',
  // Safe's 4337 module
  'function executeUserOp(address to, uint256 value, bytes data, uint8 operation)',
  'function executeUserOpWithErrorString(address to, uint256 value, bytes data, uint8 operation)',
]) satisfies Abi

/** ERC-7579: the first byte of a mode */
const callType = { single: '0x00', batch: '0x01' } as const
/** Safe: a plain call; the other is a delegate call, which could do anything. */
const safeCall = 0

/** What the account's callData makes it call; `undefined` for a form that is not known, which could be any call. */
export function callsOf(callData: Hex): readonly Call[] | undefined {
  try {
    return decoded(callData)
  } catch {
    return undefined
  }
}

function decoded(callData: Hex): readonly Call[] | undefined {
  const { functionName, args } = decodeFunctionData({ abi, data: callData })
  switch (functionName) {
    case 'execute':
      return args.length === 3 ? [callTo(args[0], args[2])] : modular(args[0], args[1])
    case 'executeBatch': {
      const [first] = args
      if (args.length === 1) return args[0].map(({ target, data }) => callTo(target, data))
      const data = args.length === 2 ? args[1] : args[2]
      const targets = first as readonly Address[]
      if (targets.length !== data.length) return undefined
      return targets.map((to, index) => callTo(to, data[index] ?? '0x'))
    }
    case 'executeUserOp':
    case 'executeUserOpWithErrorString':
      return args[3] === safeCall ? [callTo(args[0], args[2])] : undefined
  }
}

function modular(mode: Hex, execution: Hex): readonly Call[] | undefined {
  switch (slice(mode, 0, 1)) {
    case callType.single:
      return [callTo(slice(execution, 0, 20), size(execution) > 52 ? slice(execution, 52) : '0x')]
    case callType.batch: {
      const [calls] = decodeAbiParameters(
        [
          {
            type: 'tuple[]',
            components: [
              { type: 'address', name: 'target' },
              { type: 'uint256', name: 'value' },
              { type: 'bytes', name: 'data' },
            ],
          },
        ],
        execution,
      )
      return calls.map(({ target, data }) => callTo(target, data))
    }
    default:
      return undefined
  }
}

function callTo(to: Address, data: Hex): Call {
  return { to: getAddress(to), selector: size(data) < 4 ? '0x' : slice(data, 0, 4) }
}
