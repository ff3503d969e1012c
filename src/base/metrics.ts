import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** One registry for a process. Metrics are declared beside the code that counts, with bounded labels. */
export type Metrics = {
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>
  gauge<Label extends string>(name: string, help: string, labels?: readonly Label[]): Gauge<Label>
  /** Seconds, unless the name says otherwise. */
  histogram<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>
  /** Prometheus text exposition format. */
  text(): Promise<string>
  /** Called before the text is made, which waits for it: for counts that are elsewhere. It never fails. */
  beforeText(collect: () => Promise<void>): void
  /** What the counters stand at; plain data. */
  counters(): Promise<readonly CounterReading[]>
}

/** A counter as it stands, by its name without the prefix. */
export type CounterReading = {
  name: string
  help: string
  values: readonly { labels: Readonly<Record<string, string | number>>; value: number }[]
}

const prefix = 'tandem_'

/** 1 ms … 60 s: from a local validation to a slow inclusion. */
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** The same name declared twice (two chains, say) is the same metric. Names get the prefix `tandem_`. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const known = new Map<string, unknown>()
  const collects: (() => Promise<void>)[] = []
  const once = <Metric>(name: string, make: (fullName: string) => Metric): Metric => {
    const existing = known.get(name)
    if (existing !== undefined) return existing as Metric
    const made = make(`${prefix}${name}`)
    known.set(name, made)
    return made
  }
  const registers = [registry]
  return {
    counter: (name, help, labelNames = []) =>
      once(name, (full) => new Counter({ name: full, help, labelNames: [...labelNames], registers })),
    gauge: (name, help, labelNames = []) =>
      once(name, (full) => new Gauge({ name: full, help, labelNames: [...labelNames], registers })),
    histogram: (name, help, labelNames = [], buckets = secondsBuckets) =>
      once(
        name,
        (full) =>
          new Histogram({ name: full, help, labelNames: [...labelNames], buckets: [...buckets], registers }),
      ),
    beforeText: (collect) => collects.push(collect),
    async text() {
      await Promise.all(collects.map((collect) => collect()))
      return registry.metrics()
    },
    async counters() {
      const readings = await registry.getMetricsAsJSON()
      return readings.flatMap(({ name, help, type, values }) =>
        String(type) === 'counter'
          ? [{ name: name.slice(prefix.length), help, values: values.map(readingOf) }]
          : [],
      )
    },
  }
}

function readingOf({ labels, value }: { labels: Partial<Record<string, string | number>>; value: number }) {
  return { labels: labels as Record<string, string | number>, value }
}
