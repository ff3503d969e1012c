/** Versions of the EntryPoint contract that are served. */
export type EntryPointVersion = '0.6' | '0.7' | '0.8'

/** Newest first; the first one that a chain has is the preferred one (ERC-7769). */
export const entryPointVersions: readonly EntryPointVersion[] = ['0.8', '0.7', '0.6']
