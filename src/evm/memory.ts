import { Unsupported } from './outcome.ts'
import { readWord, type Word, writeWord } from './word.ts'

/**
 * Bytes. Gas is what bounds memory: this much costs 8.6 billion gas, which no block has. The cap keeps a worker alive
 * whatever gas it is told to run with.
 */
const mostMemory = 64 * 1024 * 1024
/** Bytes. Solidity's scratch space and a few variables fit; then it doubles. */
const firstCapacity = 1024

const none = new Uint8Array()
const noView = new DataView(none.buffer)

/** A frame's memory: zeros that grow by words. Whoever reads or writes has grown it before. */
export class Memory {
  #bytes = none
  #view = noView
  /** bytes, a multiple of 32 */
  size = 0

  /** @param size bytes, a multiple of 32; paid for already */
  grow(size: number): void {
    if (size > mostMemory) throw new Unsupported(`memory of more than ${mostMemory} bytes`)
    if (size > this.#bytes.length) {
      const bytes = new Uint8Array(Math.max(size, this.#bytes.length * 2, firstCapacity))
      bytes.set(this.#bytes)
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer)
    }
    this.size = size
  }

  word(offset: number): Word {
    return readWord(this.#view, offset)
  }

  setWord(offset: number, word: Word): void {
    writeWord(this.#view, offset, word)
  }

  setByte(offset: number, byte: number): void {
    this.#bytes[offset] = byte
  }

  /** A window, no copy: it changes with the memory, until that grows. */
  window(offset: number, size: number): Uint8Array {
    return size === 0 ? none : this.#bytes.subarray(offset, offset + size)
  }

  /** Copies `size` bytes of `source` from `start` on; zeros beyond its end. */
  write(offset: number, size: number, source: Uint8Array, start: number): void {
    const data = source.subarray(start, start + size)
    this.#bytes.set(data, offset)
    this.#bytes.fill(0, offset + data.length, offset + size)
  }

  move(target: number, source: number, size: number): void {
    this.#bytes.copyWithin(target, source, source + size)
  }
}
