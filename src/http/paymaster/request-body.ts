import { readBody } from '../body.ts'

/** JSON, or why there is none. No body counts as an empty one. */
export type RequestBody = { body: unknown } | { fault: 'too large' | 'no JSON' }

/** Whatever content type the request names, its body counts. */
export async function readJson(request: Request, /** bytes */ limit: number): Promise<RequestBody> {
  const text = await readBody(request, limit)
  if (text === undefined) return { fault: 'too large' }
  try {
    const body: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return { body }
  } catch {
    return { fault: 'no JSON' }
  }
}

/** What is answered to a body over the limit. */
export const tooLarge = (limit: number) => ({
  error: `the body is over the limit of ${limit} bytes`,
  code: 'body_too_large',
})
