/** What a request to the paymaster service ends with: `fine`, or the status, the machine code and the text. */
export async function outcome(act: Promise<unknown>): Promise<string> {
  try {
    await act
    return 'fine'
  } catch (error) {
    const { status, reason, code, message } = error as {
      status?: number
      reason?: string
      code: number
      message: string
    }
    return status === undefined ? `${code} ${message}` : `${status} ${reason}: ${message}`
  }
}
