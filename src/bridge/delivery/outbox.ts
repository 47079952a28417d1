import type { TaskClient } from '../../core/client/taskClient.js'
import { asError } from '../../core/protocol/asError.js'
import type { Delivery } from './delivery.js'
import { createNoting, type NotingOptions } from './noting.js'
import { LONGEST_DELAY_MS } from './retryDelay.js'
import { createSending, type SendingOptions } from './sending.js'
import { createShelf, type Shelf } from './shelf.js'

/** Messages about calls that end. Each is written down before it is sent, and removed when it was taken. */
export interface Outbox {
  watch(client: TaskClient, userId: string): void
  resume(clientOf: (userId: string) => unknown): Promise<void>
  /** Removes all that is kept for this user. */
  forget(userId: string): Promise<void>
  close(): Promise<void>
}

/** How often the messages that killed processes have left are looked for, in ms. */
const LOOK_MS = 60_000

/** After this time nothing more is expected of a call, in ms. */
const OPEN_LIMIT_MS = 30 * LONGEST_DELAY_MS

export function createOutbox(options: NotingOptions & SendingOptions): Outbox {
  const { environment, report } = options
  const shelf: Shelf = createShelf(
    options,
    createSending(options, () => shelf),
  )
  const { items, alone, remove, run } = shelf
  let timer: unknown
  const loaded = run(load(shelf, ['due', 'open']).then(sweep).then(lookAgain))
  const noting = createNoting(options, shelf, loaded)

  async function sweep(): Promise<void> {
    const oldest = environment.now() - OPEN_LIMIT_MS
    for (const item of [...items.values()])
      if (item.delivery.stage === 'open' && item.delivery.startedAt < oldest) await remove(item)
  }

  /** Other processes may be killed at any time. A process that is alone knows all that there is. */
  function lookAgain(): void {
    if (environment.locks === undefined || shelf.signal.aborted) return
    timer = shelf.setTimeout(() => void run(load(shelf, ['due']).then(lookAgain)), LOOK_MS)
  }

  return {
    watch: noting.watch,
    resume: async (clientOf) => {
      await loaded
      const open = [...items.values()].filter(({ delivery }) => delivery.stage === 'open')
      for (const userId of new Set(open.map(({ delivery }) => delivery.userId))) {
        try {
          clientOf(userId)
        } catch (thrown) {
          report(asError(thrown), userId)
        }
      }
    },
    forget: async (userId) => {
      await loaded
      const own = [...items.values()].filter(({ delivery }) => delivery.userId === userId)
      await Promise.all(own.map((item) => alone(item, () => remove(item))))
    },
    close: async () => {
      environment.clearTimeout(timer)
      await shelf.close()
    },
  }
}

/** Takes in what the storage has and this process does not know. */
async function load({ items, store, add, signal }: Shelf, stages: readonly Delivery['stage'][]): Promise<void> {
  for (const stage of stages) {
    for (const id of await store.ids(stage)) {
      if (signal.aborted) return
      const delivery = items.has(id) ? undefined : await store.read(id)
      if (typeof delivery === 'object' && !items.has(id)) add(delivery, true)
    }
  }
}
