import { type ErrorData, TandemError } from '../base/errors.ts'

/** What a caller can do about it (answers.md §2); each has its HTTP status and its JSON-RPC code. */
const kinds = {
  invalid: { status: 400, code: -32602 },
  refused: { status: 400, code: -32501 },
  unauthorized: { status: 401, code: -32001 },
  forbidden: { status: 403, code: -32001 },
  'not-found': { status: 404, code: -32501 },
  unchanged: { status: 409, code: -32501 },
} as const

/**
 * No from the paymaster service: `message` is the text that clients know, `reason` its machine code. REST shows
 * `{error, code: reason}` with `status`, JSON-RPC an error object with `data.code`.
 */
export class PaymasterError extends TandemError {
  override readonly name = 'PaymasterError'
  readonly status: (typeof kinds)[keyof typeof kinds]['status']

  constructor(
    kind: keyof typeof kinds,
    readonly reason: string,
    message: string,
    readonly details: ErrorData = {},
  ) {
    super(kinds[kind].code, message, { ...details, code: reason })
    this.status = kinds[kind].status
  }
}
