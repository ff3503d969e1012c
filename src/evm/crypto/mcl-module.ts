import loader from 'mcl-wasm/dist/mcl_c.js' with { type: 'text' }
import { once } from '../../base/once.ts'

export type MclInstance = { readonly exports: WebAssembly.Exports; readonly memory: WebAssembly.Memory }

/** Pages of 64 KiB that an instance begins with: what the library's own loader gives it. */
const initialPages = 32

const compiled = once(() => new WebAssembly.Module(embeddedModule()))

/**
 * An instance of mcl-wasm with memory of its own. The library's loader decodes and compiles its module anew for every
 * instance, a curve each, which takes most of the time of a thread's start: here it is done once a thread.
 */
export function instantiateMcl(): MclInstance {
  const memory = new WebAssembly.Memory({ initial: initialPages })
  const { exports } = new WebAssembly.Instance(compiled(), {
    env: { memory, cryptoGetRandomValues: noRandomness },
  })
  return { exports, memory }
}

/** The loader has the module as a literal. */
function embeddedModule(): Uint8Array<ArrayBuffer> {
  const [, base64] = /wasmBase64 = '([^']+)'/.exec(loader) ?? []
  if (base64 === undefined) throw new Error('mcl-wasm does not embed its module any more')
  return Uint8Array.fromBase64(base64)
}

/** For keys, of which an EVM makes none. */
function noRandomness(): never {
  throw new Error('nothing here is random')
}
