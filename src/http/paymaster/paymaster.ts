import type { Context } from '../../base/context.ts'
import type { RateLimiter } from '../../base/rate.ts'
import type { Answerer } from '../../rpc/answerer.ts'
import { createMetering, type Metering } from '../../rpc/metering/metering.ts'
import type { Method } from '../../rpc/method.ts'
import { createPaymasterDispatcher } from '../../rpc/paymaster/dispatch.ts'
import { onBundlerAddress } from '../../rpc/paymaster/methods.ts'
import { createPaymasterPerform } from '../../rpc/paymaster/perform.ts'
import type { PaymasterService } from '../../rpc/paymaster/service.ts'
import type { Respond } from '../answers.ts'
import type { CorsHeaders } from '../cors.ts'
import { createPaymasterHandler, type PaymasterHandler } from './handler.ts'
import { createOwnAddress, type OwnAddress } from './own-address.ts'

/** The paymaster service as a server has it. */
export type PaymasterSurface = {
  metering: Metering
  handle: PaymasterHandler
  atOwnAddress: OwnAddress
  /** For the bundler's address. */
  methods: readonly Method[]
}

export function createPaymasterSurface(
  options: { /** bytes */ maxBodySize: number; version: string },
  modules: Context & {
    service: PaymasterService
    answer: Answerer
    /** Of each address's calls; `undefined`: no limit. */
    limiter: RateLimiter | undefined
    respond: Respond
    cors: CorsHeaders
  },
): PaymasterSurface {
  const { service, answer } = modules
  const metering = createMetering(service)
  const perform = createPaymasterPerform({ service, metering })
  const dispatch = createPaymasterDispatcher({ answer, perform })
  const handle = createPaymasterHandler(options, { ...modules, metering, perform, dispatch })
  return {
    metering,
    handle,
    atOwnAddress: createOwnAddress(options, { ...modules, handle }),
    methods: onBundlerAddress(perform),
  }
}
