import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { createBackoff } from '../base/backoff.js'
import { systemClock } from '../base/clock.js'
import { within } from '../base/within.js'
import type { TaskQueueWorker } from '../tasks/executor.js'
import type { BullmqWorker } from './bullmqClasses.js'

/** How long the first connection may take, in ms. */
const CONNECT_MS = 10_000
/** How long closing may take, in ms: a connection that is dead may never say that it has ended. */
const CLOSE_MS = 5000

/**
 * Runs a worker of BullMQ through outages of its database. BullMQ keeps the rejection of a first connection that could not be
 * made, and asks again at once, forever, where the database refuses to hand out jobs. So a worker runs once it has its connection,
 * is replaced where that failed, and rests after each error.
 */
export function superviseWorker(open: () => BullmqWorker, onError: (error: unknown) => void): TaskQueueWorker {
  const backoff = createBackoff()
  let worker: BullmqWorker | undefined
  let timer: unknown
  let isStopped = false

  function later(run: () => void): void {
    if (isStopped) return
    timer = systemClock.setTimeout(() => {
      timer = undefined
      run()
    }, backoff.next(systemClock.now()))
  }

  function start(): void {
    const own = open()
    worker = own
    own.on('error', (error) => {
      onError(error)
      if (worker === own) rest(own)
    })
    within(CONNECT_MS, 'connect a worker to the queue', own.waitUntilReady()).then(
      () => {
        if (!isStopped) void own.run().catch(onError)
      },
      (error: unknown) => {
        onError(error)
        if (worker === own) replace(own)
      },
    )
  }

  function replace(own: BullmqWorker): void {
    worker = undefined
    systemClock.clearTimeout(timer)
    void ignoreRejection(own.close(true))
    later(start)
  }

  /** Jobs that are under way go on. */
  function rest(own: BullmqWorker): void {
    if (timer !== undefined || isStopped) return
    void ignoreRejection(own.pause(true))
    later(() => void own.resume())
  }

  start()
  return {
    async stop() {
      isStopped = true
      systemClock.clearTimeout(timer)
      // Does not wait for the database.
      void ignoreRejection(worker?.pause(true) ?? Promise.resolve())
    },
    async close() {
      // Nothing is under way, or what is has been given up.
      const closing = worker?.close(true) ?? Promise.resolve()
      await within(CLOSE_MS, 'close the worker', closing).catch(() => {})
    },
  }
}
