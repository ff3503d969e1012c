/** Where a worker's entry point is: embedded under its relative name in the executable, a file when run from source. */
export function workerUrl(name: 'simulator' | 'submitter' | 'store'): string {
  if (Bun.isStandaloneExecutable) return `./workers/${name}.ts`
  return new URL(`../../workers/${name}.ts`, import.meta.url).href
}
