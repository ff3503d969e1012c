import type { CaseReport } from './run-fixture.ts'

/** Runs the cases of all files, on a worker a core: whichever is free takes the next. */
export async function runFiles(
  files: readonly string[],
  onReports: (reports: readonly CaseReport[]) => void,
): Promise<void> {
  const queue = files.values()
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url))
    for (const file of queue) onReports(await ask(worker, file))
    worker.terminate()
  }
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, work))
}

function ask(worker: Worker, file: string): Promise<readonly CaseReport[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly CaseReport[]>()
  worker.onerror = (event) => reject(new Error(`${file}: ${event.message}`))
  worker.onmessage = ({ data }: MessageEvent<readonly CaseReport[]>) => resolve(data)
  worker.postMessage(file)
  return promise
}
