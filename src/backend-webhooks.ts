/**
 * Webhooks for calls that end while no page is open, as Standard Webhooks describes them.
 *
 * @packageDocumentation
 */

export { DeliveryFailedError } from './bridge/delivery/deliveryFailedError.js'
export type { Deliveries, DeliveryOptions } from './bridge/delivery/deliveryOptions.js'
export type { DeliveryEnvironment } from './bridge/delivery/shelf.js'
export {
  createWebhooks,
  type WebhookBody,
  type WebhookEndpoint,
  type WebhooksOptions,
} from './bridge/webhooks/createWebhooks.js'
