export { type BullmqClasses, type BullmqQueueOptions, bullmqQueue, type ClosableQueue } from './bullmqQueue.js'
