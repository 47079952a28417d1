export type { BullmqClasses, BullmqQueue, BullmqWorker } from './bullmqClasses.js'
export { type BullmqQueueOptions, bullmqQueue, type ClosableQueue } from './bullmqQueue.js'
