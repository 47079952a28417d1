import type { Environment } from '../../core/environment/environment.js'
import { TaskStorageError } from '../../core/protocol/errors.js'
import { inTime } from '../../core/storage/inTime.js'
import type { TaskStorage } from '../../core/storage/taskStorage.js'
import { type Delivery, decodeDelivery, encodeDelivery, type OpenDelivery } from './delivery.js'

/** The deliveries of one sender. No method throws or rejects: `report` is called with what went wrong. */
export interface DeliveryStore {
  /** How often something went wrong. */
  readonly failures: number
  /** Undefined where there is none; `unknown` where the storage does not say, or cannot be read. */
  read(id: string): Promise<Delivery | 'unknown' | undefined>
  /** False where it could not be written. */
  write(delivery: Delivery): Promise<boolean>
  /** Gives the note of a call that runs to another process. False where it is no longer there, or of this holder. */
  hand(delivery: OpenDelivery, holder: string): Promise<boolean>
  /** False where it could not be removed. */
  remove(id: string): Promise<boolean>
  /** The ids of deliveries in this stage. */
  ids(stage: Delivery['stage']): Promise<readonly string[]>
  /** Notes the name of a process. */
  writeName(name: string): Promise<void>
  removeName(name: string): Promise<void>
  names(): Promise<readonly string[]>
}

/** Calls that run are apart from messages that are due: processes look for the latter again and again. */
export function createDeliveryStore(
  name: string,
  storage: TaskStorage,
  environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
  report: (error: TaskStorageError) => void,
): DeliveryStore {
  type Kind = Delivery['stage'] | 'process'
  const prefixOf = (kind: Kind) => `taskwire:out:${name}:${kind}:`
  const keyOf = (kind: Kind, id: string) => prefixOf(kind) + id

  let failures = 0

  async function attempt<T>(what: string, action: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await inTime(action(), environment)
    } catch (cause) {
      failures += 1
      report(
        new TaskStorageError(`Failed to ${what}. It is kept in memory, and lost if the process is killed.`, { cause }),
      )
      return otherwise
    }
  }

  const list = (kind: Kind) =>
    attempt<readonly string[]>('list the deliveries', async () => {
      const prefix = prefixOf(kind)
      return [...(await storage.keys(prefix))].flatMap((key) =>
        key.startsWith(prefix) ? [key.slice(prefix.length)] : [],
      )
    }, [])

  return {
    get failures() {
      return failures
    },
    read: (id) =>
      attempt<Delivery | 'unknown' | undefined>(
        'read a delivery',
        async () => {
          const text = (await storage.getItem(keyOf('due', id))) ?? (await storage.getItem(keyOf('open', id)))
          return typeof text === 'string' ? (decodeDelivery(text) ?? 'unknown') : undefined
        },
        'unknown',
      ),
    write: (delivery) =>
      attempt(
        'write a delivery',
        async () => {
          const { id, stage } = delivery
          await storage.setItem(keyOf(stage, id), encodeDelivery(delivery))
          // Not before: a process that is killed in between leaves both, and what is due counts.
          if (stage === 'due' && delivery.attempts === 0) await storage.removeItem(keyOf('open', id))
          return true
        },
        false,
      ),
    hand: (delivery, holder) =>
      attempt(
        'write a delivery',
        async () => {
          const key = keyOf('open', delivery.id)
          const text = (await storage.getItem(key)) ?? ''
          const found = decodeDelivery(text)
          if (found?.stage !== 'open' || found.holder !== delivery.holder) return false
          const next = encodeDelivery({ ...found, holder })
          if (storage.replaceItem !== undefined) return await storage.replaceItem(key, text, next)
          await storage.setItem(key, next)
          return true
        },
        false,
      ),
    remove: (id) =>
      attempt(
        'remove a delivery',
        async () => {
          await storage.removeItem(keyOf('open', id))
          await storage.removeItem(keyOf('due', id))
          return true
        },
        false,
      ),
    ids: list,
    writeName: (process) =>
      attempt('write the name of a process', async () => storage.setItem(keyOf('process', process), '1'), undefined),
    removeName: (process) =>
      attempt('remove the name of a process', async () => storage.removeItem(keyOf('process', process)), undefined),
    names: () => list('process'),
  }
}
