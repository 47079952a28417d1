import type { TaskClient } from '../../core/client/taskClient.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskStorageError } from '../../core/protocol/errors.js'
import type { Delivery, OpenDelivery } from './delivery.js'
import type { DeliveryStore } from './deliveryStore.js'
import { createNoting } from './noting.js'
import { createProcesses, type Processes } from './processes.js'
import { LONGEST_DELAY_MS } from './retryDelay.js'
import { createSending, type SendingOptions } from './sending.js'
import { givenUpId, type SettlingOptions } from './settling.js'
import { createShelf, type Shelf } from './shelf.js'

/** Messages about calls that end. Each is written down before it is sent, and removed when it was taken. */
export interface Outbox {
  watch(client: TaskClient, userId: string): void
  resume(clientOf: (userId: string) => unknown): Promise<void>
  /** Removes all that is kept for this user. Rejects where the storage does not do it. */
  forget(userId: string): Promise<void>
  close(): Promise<void>
}

/** How often a process looks for what other ones have left, in ms. */
const LOOK_MS = 60_000

/** When a process that was just started looks again, in ms: the lock of a killed one that it replaces has ended by then. */
const SOON_MS = 15_000

/** After this time nothing more is expected of a call that no client knows, in ms. */
const OPEN_LIMIT_MS = 30 * LONGEST_DELAY_MS

const NOT_FORGOTTEN = 'The storage may still have messages for this user. Call forgetUser() again when it works.'

export function createOutbox(options: SettlingOptions & SendingOptions): Outbox {
  const { environment, report, name } = options
  const shelf: Shelf = createShelf(
    options,
    createSending(options, () => shelf),
  )
  const { items, store, add, alone, remove, isRemoved, run, runLater, signal } = shelf
  // A process that is alone knows all that there is.
  const processes = environment.locks && createProcesses(name, environment.locks, environment, shelf)
  const loaded = run(load())
  const noting = createNoting(options, shelf, loaded, processes)
  /** Notes that may be this process's by now: the storage has not said whether it has written so. */
  const unsure = new Set<string>()
  let clientOf: (userId: string) => unknown = () => {}
  if (processes !== undefined) void run(loaded.then(() => lookAgain(processes, SOON_MS)))

  async function load(): Promise<void> {
    const { failures } = store
    await loadDue()
    await takeOverLeft()
    // What could not be read is waiting there.
    if (store.failures !== failures) runLater(load, LOOK_MS)
  }

  /** Goes on with the calls of processes that are no more when this one starts. */
  async function takeOverLeft(): Promise<void> {
    const open = await readOpen(store)
    if (processes === undefined) return takeOver(open)
    const { failures } = store
    // Read after the notes: a process has its name there before it notes a call.
    const names = await store.names()
    const isLeft = ({ id, holder }: OpenDelivery) => holder === undefined || !names.includes(holder) || unsure.has(id)
    if (store.failures === failures) await takeOver(open.filter(isLeft))
  }

  async function lookAgain(others: Processes, nextMs: number): Promise<void> {
    if (signal.aborted) return
    await loadDue()
    await others.lookForEnded(takeOverFrom)
    runLater(() => lookAgain(others, LOOK_MS), nextMs)
  }

  /** Takes in the messages that this process does not know. */
  async function loadDue(): Promise<void> {
    for (const id of await store.ids('due')) {
      if (signal.aborted) return
      const isNew = () => !items.has(id) && !isRemoved(id)
      const delivery = isNew() ? await store.read(id) : undefined
      if (typeof delivery === 'object' && isNew()) add(delivery, true)
    }
  }

  /** True if nothing is left of that process. */
  async function takeOverFrom(ended: string): Promise<boolean> {
    const { failures } = store
    await takeOver((await readOpen(store)).filter(({ id, holder }) => holder === ended || unsure.has(id)))
    return store.failures === failures && !signal.aborted
  }

  /** Goes on with calls whose process has ended. */
  async function takeOver(notes: readonly OpenDelivery[]): Promise<void> {
    const oldest = environment.now() - OPEN_LIMIT_MS
    const users = new Set<string>()
    for (const note of notes) {
      if (signal.aborted) return
      await alone(note.id, async () => {
        const { id, userId, startedAt } = note
        const isOwn = processes === undefined || (await hand(note, processes.own))
        if (!isOwn) return
        if (!items.has(id)) add(note, true)
        if (startedAt < oldest) runLater(() => noting.removeUnknown(note), LOOK_MS)
        users.add(userId)
      })
    }
    noting.follow(users)
    callFor(users, clientOf, report)
  }

  async function hand(note: OpenDelivery, own: string): Promise<boolean> {
    const { failures } = store
    const isOwn = await store.hand(note, own)
    if (isOwn || store.failures === failures) unsure.delete(note.id)
    else unsure.add(note.id)
    return isOwn
  }

  return {
    watch: noting.watch,
    resume: async (given) => {
      await loaded
      clientOf = given
      const open = [...items.values()].filter(({ delivery }) => delivery.stage === 'open')
      callFor(new Set(open.map(({ delivery }) => delivery.userId)), clientOf, report)
    },
    forget: async (userId) => {
      await loaded
      const { failures } = store
      const noted = [...items.values()].map(({ delivery }) => delivery)
      // A note becomes a message meanwhile, and no message becomes a note.
      const all = [...noted, ...(await read(store, 'open')), ...(await read(store, 'due'))]
      const ids = new Set(all.flatMap((each) => (each.userId === userId ? [each.id] : [])))
      const removed = [...ids].map(async (id) => {
        await alone(id, () => remove(id))
        // The call may have been taken for failed meanwhile.
        await alone(givenUpId(id), () => remove(givenUpId(id)))
      })
      await Promise.all(removed)
      if (store.failures !== failures) throw new TaskStorageError(NOT_FORGOTTEN)
    },
    close: shelf.close,
  }
}

async function read(store: DeliveryStore, stage: Delivery['stage']): Promise<readonly Delivery[]> {
  const found: Delivery[] = []
  for (const id of await store.ids(stage)) {
    const delivery = await store.read(id)
    if (typeof delivery === 'object') found.push(delivery)
  }
  return found
}

async function readOpen(store: DeliveryStore): Promise<readonly OpenDelivery[]> {
  return (await read(store, 'open')).filter((delivery) => delivery.stage === 'open')
}

function callFor(
  users: ReadonlySet<string>,
  clientOf: (userId: string) => unknown,
  report: SettlingOptions['report'],
): void {
  const call = async (userId: string) => clientOf(userId)
  for (const userId of users) call(userId).catch((thrown: unknown) => report(asError(thrown), userId))
}
