/**
 * A queue for the work of tasks, made with BullMQ.
 *
 * @packageDocumentation
 */
export type { BullmqClasses, BullmqQueue, BullmqWorker } from './server/bullmq/bullmqClasses.js'
export { type BullmqQueueOptions, bullmqQueue, type ClosableQueue } from './server/bullmq/bullmqQueue.js'
