import { Type } from '@sinclair/typebox'
import { paymasterMethods } from '../../rpc/paymaster/methods.ts'
import { endpoints } from '../paymaster/endpoints.ts'
import {
  type DocumentedMethod,
  openApiDocument,
  openPath,
  type Paths,
  restPaths,
  rpcPath,
} from './document.ts'

/** Where the main address has the paymaster. */
export const paymasterBase = '/paymaster'

const documentItself = openPath('This document', { 200: 'OpenAPI 3.1' }, Type.Object({}))
const health = openPath(
  'Whether the process lives',
  { 200: 'It does.' },
  Type.Object({ alive: Type.Boolean() }),
)
const ready = openPath(
  'Whether every chain is served',
  { 200: 'Yes.', 503: 'Not yet, or not now.' },
  Type.Object({ ready: Type.Boolean() }),
)

/** The document of the main address. */
export function mainDocument(
  options: { version: string; paymaster: boolean; requireApiKey: boolean },
  methods: readonly DocumentedMethod[],
): object {
  const needsKey = options.requireApiKey
  return openApiDocument(options, {
    '/v1/{chainId}': rpcPath('The bundler of a chain', methods, { fields: ['chainId'], needsKey }),
    '/': rpcPath('The bundler of the only chain, or of the one that the Host names', methods, {
      fields: [],
      needsKey,
    }),
    '/health': health,
    '/ready': ready,
    '/openapi/json': documentItself,
    ...(options.paymaster ? paymasterPaths(paymasterBase) : {}),
  })
}

/** The document of a host or port of the paymaster's own. */
export function ownDocument(options: { version: string }): object {
  return openApiDocument(options, {
    '/health': health,
    '/openapi/json': documentItself,
    ...paymasterPaths(''),
  })
}

function paymasterPaths(base: string): Paths {
  return {
    [base || '/']: rpcPath('The paymaster of whichever chain a call names', paymasterMethods, {
      fields: [],
      needsKey: true,
    }),
    ...restPaths(base, endpoints),
  }
}
