import { Type } from '@sinclair/typebox'
import { address } from './quantities.ts'

/** `GET /chains/<id>/reputation`: entities that were seen, by EntryPoint (ERC-7562). */
export const reputationSchema = Type.Object({
  entities: Type.Array(
    Type.Object({
      entryPoint: address,
      address,
      opsSeen: Type.Number(),
      opsIncluded: Type.Number(),
      status: Type.String(),
    }),
  ),
})
