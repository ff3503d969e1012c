import { type StaticDecode, Type } from '@sinclair/typebox'
import { bundlerSchema } from './bundler.ts'
import { paymasterSchema } from './paymaster.ts'

const strict = { additionalProperties: false }

/** Settings of a chain: of its bundler and of its paymaster service. */
export const chainSchema = Type.Composite([bundlerSchema, paymasterSchema], strict)

export type ChainSettings = StaticDecode<typeof chainSchema>
