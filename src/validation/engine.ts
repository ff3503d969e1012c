import type { PrepareJob, SimulatorPort } from '../types/ports/simulator.ts'

/** Judges and measures operations: `node` asks the chain's nodes. Every verdict says how thorough it is. */
export type ValidationEngine = SimulatorPort & {
  /** Fetches ahead, as far as it can; never fails. */
  prepare(job: PrepareJob): Promise<void>
}
