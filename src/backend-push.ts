/**
 * Web Push for calls that end while no page is open.
 *
 * @packageDocumentation
 */

export { DeliveryFailedError } from './bridge/delivery/deliveryFailedError.js'
export type { Deliveries, DeliveryOptions } from './bridge/delivery/deliveryOptions.js'
export type { DeliveryEnvironment } from './bridge/delivery/shelf.js'
export { createPush, type Push, type PushMessage, type PushOptions, type VapidKeys } from './bridge/push/createPush.js'
