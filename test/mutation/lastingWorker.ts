import { type PoolOptions, type PoolWorker, ThreadsPoolWorker, type WorkerRequest } from 'vitest/node'

type Listener = (message: unknown) => void

const isCancellation = (message: object): boolean => 'm' in message && message.m === 'onCancel'

let thread: ThreadsPoolWorker | undefined

/**
 * A thread that outlives a run. Vitest ends its threads after each run and loads all modules anew in the next; with a run for
 * each mutant, that would be nearly all of the time. A run that is ended by force ends its thread, too.
 */
export const lastingWorker = {
  name: 'lasting',
  createPoolWorker(options: PoolOptions): PoolWorker {
    const listeners: [event: string, listener: Listener][] = []
    const isRunning = thread !== undefined
    const worker = thread ?? new ThreadsPoolWorker(options)
    thread = worker
    let mayLast = false

    function answer(type: 'started' | 'stopped'): void {
      const hear = listeners.filter(([event]) => event === 'message')
      for (const [, listener] of hear) listener({ type, __vitest_worker_response__: true })
    }

    return {
      name: 'lasting',
      deserialize: (message) => message,
      on(event, listener) {
        listeners.push([event, listener])
        worker.on(event, listener)
      },
      off(event, listener) {
        const index = listeners.findIndex(([name, known]) => name === event && known === listener)
        if (index >= 0) listeners.splice(index, 1)
        worker.off(event, listener)
      },
      send(message: WorkerRequest) {
        if (message.type === 'stop') {
          mayLast = true
          answer('stopped')
        } else if (message.type === 'start' && isRunning) answer('started')
        // The thread has ended the run itself; told so late, it would end the next one.
        else if (!isCancellation(message)) worker.send(message)
      },
      async start() {
        if (!isRunning) await worker.start()
      },
      async stop() {
        for (const [event, listener] of listeners.splice(0)) worker.off(event, listener)
        if (mayLast) return
        thread = undefined
        await worker.stop()
      },
    }
  },
}
