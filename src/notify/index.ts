export type { Attention, SystemNotifications } from '../environment/attention.js'
export { type NotifyOptions, notifyWhenSettled, type SettledNotifications } from './notifyWhenSettled.js'
