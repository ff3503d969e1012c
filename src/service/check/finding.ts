import { describe } from '../../base/errors.ts'

/** One line of `tandem check`. */
export type Finding = { ok: boolean; text: string }

/** What `task` finds of the subject, or why it could not. */
export async function attempt(subject: string, task: () => Promise<Finding>): Promise<Finding> {
  try {
    const { ok, text } = await task()
    return { ok, text: `${subject}: ${text}` }
  } catch (error) {
    return { ok: false, text: `${subject}: ${describe(error)}` }
  }
}
