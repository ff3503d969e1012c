import type { Context } from '../../base/context.ts'
import { admission, type RateLimiter } from '../../base/rate.ts'
import type { Metering } from '../../rpc/metering/metering.ts'
import type { PaymasterDispatcher } from '../../rpc/paymaster/dispatch.ts'
import type { PaymasterPerform } from '../../rpc/paymaster/perform.ts'
import type { PaymasterService } from '../../rpc/paymaster/service.ts'
import type { Respond } from '../answers.ts'
import { createRestHandler } from './rest.ts'
import { createRootHandler } from './root.ts'
import { findEndpoint } from './router.ts'

/** Answers a request at `path` below the paymaster's address. */
export type PaymasterHandler = (
  request: Request,
  path: string,
  /** Under which the client's calls are counted. */
  address: string,
) => Promise<Response>

export function createPaymasterHandler(
  options: { /** bytes */ maxBodySize: number },
  modules: Context & {
    service: PaymasterService
    metering: Metering
    perform: PaymasterPerform
    dispatch: PaymasterDispatcher
    /** Of each address's calls; `undefined`: no limit. */
    limiter: RateLimiter | undefined
    respond: Respond
  },
): PaymasterHandler {
  const { respond } = modules
  const admit = admission(modules.limiter)
  const root = createRootHandler(options, { ...modules, admit })
  const rest = createRestHandler(options, { ...modules, admit })

  return async (request, path, address) => {
    if (isRoot(path)) return request.method === 'POST' ? root(request, address) : unknown(request, ['POST'])
    const found = findEndpoint(request.method, path)
    return 'allowed' in found ? unknown(request, found.allowed) : rest(request, found, address)
  }

  function unknown(request: Request, allowed: readonly string[]): Response {
    if (allowed.length === 0) return respond(request, { error: 'Not found', code: 'not_found' }, 404)
    const body = { error: 'Method not allowed', code: 'method_not_allowed' }
    return respond(request, body, 405, { allow: allowed.join(', ') })
  }
}

const isRoot = (path: string): boolean => /^\/*$/.test(path)
