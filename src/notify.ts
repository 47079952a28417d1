/**
 * Notifications by the browser and in the page title for calls that end while the user looks elsewhere.
 *
 * @packageDocumentation
 */
export type { Attention, SystemNotifications } from './core/environment/attention.js'
export { type NotifyOptions, notifyWhenSettled, type SettledNotifications } from './tools/notify/notifyWhenSettled.js'
