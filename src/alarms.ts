/**
 * The client for hosts that sleep between alarms: Durable Objects, cron jobs, serverless functions, service workers.
 *
 * @packageDocumentation
 */

export { type OptionsWithoutTimers, type TaskClientWithoutTimers, withoutTimers } from './tools/alarms/withoutTimers.js'
