export {
  type BullmqClasses,
  type BullmqQueue,
  type BullmqQueueOptions,
  type BullmqWorker,
  bullmqQueue,
  type ClosableQueue,
} from './bullmqQueue.js'
