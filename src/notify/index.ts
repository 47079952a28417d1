/**
 * Notifications of the browser and of the page title for calls that end while the user looks elsewhere.
 *
 * @packageDocumentation
 */
export type { Attention, SystemNotifications } from '../environment/attention.js'
export { type NotifyOptions, notifyWhenSettled, type SettledNotifications } from './notifyWhenSettled.js'
