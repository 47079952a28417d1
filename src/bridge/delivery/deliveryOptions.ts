import { mustBe } from '../../core/client/mustBe.js'
import { readStorage } from '../../core/client/options.js'
import { createReports } from '../../core/client/reports.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'
import type { TaskStorage } from '../../core/storage/taskStorage.js'
import type { DeliveryEnvironment, ShelfOptions } from './shelf.js'

/** Options that `createWebhooks` and `createPush` share. */
export interface DeliveryOptions {
  /**
   * The storage that keeps messages until they are delivered: `fileStorage`, `redisStorage` or `postgresStorage` of
   * `taskwire/backend`, or your own. It can be the storage of the calls.
   */
  storage: TaskStorage
  /** Returns true for the calls to send messages about. @default all calls */
  filter?: (call: SettledToolCall, userId: string) => boolean
  /**
   * Called with a {@link DeliveryFailedError} for each message that will not be sent again, with errors of the storage, and
   * with errors that your functions throw. `userId` is undefined if the error does not concern one user.
   */
  onError?: (error: Error, userId: string | undefined) => void
  /**
   * For several processes, the environment that they share: `redisEnvironment` or `postgresEnvironment` of
   * `taskwire/backend`. Then one process sends each message, and if a process is killed, another one continues its calls
   * and messages. For tests also time, randomness and `fetch`.
   */
  environment?: Partial<DeliveryEnvironment>
}

/** The return value of `createWebhooks` and `createPush`. It sends messages about calls that end, also while no page is open. */
export interface Deliveries {
  /**
   * Watches the calls of a user's client. Pass it to `createClientPool` as `onCreate`, or call it with each client that you
   * create, before that client calls tools.
   */
  readonly watch: (client: TaskClient, userId: string) => void
  /**
   * Resumes the calls that were running when the last process ended, although no page requests them. Call it once when the
   * process starts: it calls `clientOf` for each user who has such a call. `clientOf` must return a watched client, and the
   * existing one if the user already has a client, like `get` of a pool with `watch` as its `onCreate`. With several
   * processes, call `resume` in each: when another process has ended, `clientOf` is called again for the users whose calls
   * that process followed.
   */
  readonly resume: (clientOf: (userId: string) => unknown) => Promise<void>
  /**
   * Removes everything that is kept for a user, such as messages that are not delivered yet, no matter which process has
   * written them. Call it when you delete the user. Rejects with a `TaskStorageError` if the storage fails; then call it
   * again later.
   */
  readonly forgetUser: (userId: string) => Promise<void>
  /**
   * Ends all work. Messages that are not delivered yet stay in the storage, and the next process delivers them. Call it
   * when the process gets `SIGTERM`, after you have closed the clients. It waits at most five seconds for locks that other
   * processes hold.
   */
  readonly close: () => Promise<void>
}

/** Calls `onError`. What that throws surfaces as an uncaught error of the app, and keeps no message back. */
export function reporterOf(
  onError: DeliveryOptions['onError'],
  environment: Pick<DeliveryEnvironment, 'setTimeout'>,
): ShelfOptions['report'] {
  const { guard } = createReports(environment, () => {})
  return (error, userId) => guard(() => onError?.(error, userId))
}

/** The environment of deliveries: that of the machine, but for what was given. Locks only where all processes have them. */
export function deliveryEnvironment(given: Partial<DeliveryEnvironment> | undefined): DeliveryEnvironment {
  const { now, setTimeout, clearTimeout, random, randomId, fetch } = browserEnvironment()
  return { now, setTimeout, clearTimeout, random, randomId, fetch, ...given }
}

/**
 * Checks what all senders are given.
 *
 * @throws {TaskConfigurationError} if an option cannot be used.
 */
export function checkDeliveryOptions(what: string, { storage, filter, onError }: DeliveryOptions): void {
  if (storage === undefined)
    throw new TaskConfigurationError(
      `${what} needs a storage for messages that are not delivered yet: storage: fileStorage('.taskwire'), for instance.`,
    )
  readStorage(storage, browserEnvironment())
  for (const [name, value] of Object.entries({ filter, onError }))
    if (value !== undefined && typeof value !== 'function') throw mustBe(name, value, 'a function')
}
