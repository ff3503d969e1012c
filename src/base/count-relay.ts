import type { CounterReading, Metrics } from './metrics.ts'

/** What a thread counted since it told last; crosses threads. */
export type Counted = readonly CounterReading[]

/** @returns what `metrics` counted since the last call */
export function createCountRelay(metrics: Metrics): () => Promise<Counted> {
  const told = new Map<string, number>()
  return async () =>
    (await metrics.counters()).flatMap(({ values, ...counter }) => {
      const grown = values.flatMap(({ labels, value }) => {
        const key = `${counter.name} ${JSON.stringify(labels)}`
        const by = value - (told.get(key) ?? 0)
        told.set(key, value)
        return by > 0 ? [{ labels, value: by }] : []
      })
      return grown.length === 0 ? [] : [{ ...counter, values: grown }]
    })
}

/** Adds what another thread counted to the counters of the same names here. */
export function addCounted(metrics: Metrics, counted: Counted): void {
  for (const { name, help, values } of counted) {
    const counter = metrics.counter(name, help, Object.keys(values[0]?.labels ?? {}))
    for (const { labels, value } of values) counter.inc(labels, value)
  }
}
