import type { Context } from '../base/context.ts'
import { createWebhook, type Webhook } from '../base/webhook.ts'
import type { ServiceSettings } from '../config/schemas/service.ts'
import type { Alert, Alerts } from '../types/ports/alerts.ts'

/** ms that a receiver has for an answer */
const webhookTimeout = 10_000

/** Whether something has gone wrong, or is well again. */
const levels: Readonly<Record<Alert['event'], 'warn' | 'info'>> = {
  'relayer.low-balance': 'warn',
  'relayer.paused': 'warn',
  'relayer.recovered': 'info',
  'paymaster.low-deposit': 'warn',
  'paymaster.recovered': 'info',
  'funding.short': 'warn',
  'funding.recovered': 'info',
  'chain.not-ready': 'warn',
  'chain.ready': 'info',
  'service.not-ready': 'warn',
  'service.ready': 'info',
}

/** Alerts go to the log, the metrics, and the webhook if there is one. */
export function createAlerts({
  log,
  metrics,
  webhook,
  now,
}: Context & { webhook: Webhook | undefined; now: () => number }): Alerts {
  const count = metrics.counter('alerts_total', 'Alerts that were told.', ['event'])
  return {
    tell(alert) {
      const { event, ...fields } = alert
      count.inc({ event })
      log[levels[event]](event, fields)
      const timestamp = new Date(now()).toISOString()
      webhook?.send({ id: crypto.randomUUID(), event, timestamp, ...fields })
    },
  }
}

/** `undefined` when none is configured. */
export function openWebhook(
  { webhookUrl: url, webhookSecret: secret }: Pick<ServiceSettings, 'webhookUrl' | 'webhookSecret'>,
  context: Context,
  signal: AbortSignal,
): Webhook | undefined {
  if (url === undefined || secret === undefined) return undefined
  return createWebhook({ url, secret, timeoutMs: webhookTimeout }, { ...context, signal })
}
