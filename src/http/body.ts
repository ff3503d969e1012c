/**
 * The text of a request's body, or `undefined` when it has more than `limit` bytes; then no more of it is read.
 * A declared length is trusted, since the server holds the client to it.
 */
export async function readBody(request: Request, limit: number): Promise<string | undefined> {
  const declared = request.headers.get('content-length')
  if (declared !== null) return Number(declared) > limit ? undefined : request.text()
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > limit) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
