import { mustBe } from '../../core/client/mustBe.js'
import { readStorage } from '../../core/client/options.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'
import type { TaskStorage } from '../../core/storage/taskStorage.js'
import type { DeliveryEnvironment } from './shelf.js'

/** Options that `createWebhooks` and `createPush` have in common. */
export interface DeliveryOptions {
  /**
   * Where messages are kept until they were delivered: `fileStorage`, `redisStorage` or `postgresStorage` of `taskwire/backend`, or one of
   * your own. It may be the storage of the calls.
   */
  storage: TaskStorage
  /** The calls to tell of. @default all */
  filter?: (call: SettledToolCall, userId: string) => boolean
  /**
   * Called with each message that is not sent again, as a {@link DeliveryFailedError}, with failures of the storage, and
   * with what your functions throw. The id of the user is absent where the error is about no user.
   */
  onError?: (error: Error, userId: string | undefined) => void
  /**
   * With several processes, the environment that they share: `redisEnvironment` or `postgresEnvironment` of `taskwire/backend`. Then each
   * message is sent by one of them, and another one continues the calls and messages of a killed process. For tests also time, chance and `fetch`.
   */
  environment?: Partial<DeliveryEnvironment>
}

/** The return value of `createWebhooks` and `createPush`, which tells of calls that end while no page is open. */
export interface Deliveries {
  /**
   * Watches the calls of a user's client. Pass it to `createClientPool` as `onCreate`, or call it with each client that you make, before it
   * calls tools.
   */
  readonly watch: (client: TaskClient, userId: string) => void
  /**
   * Calls `clientOf` for each user with a call that ran when the process ended before: call it once after the start of the process, so
   * that those calls are followed although no page asks for them. Then their clients must be watched, as those of a pool are. With several
   * processes, call it in each: `clientOf` is called again when another process has ended, for the users whose calls that one followed.
   * It may be called for a user whose client there is already, and should return that one, as `get` of a pool does.
   */
  readonly resume: (clientOf: (userId: string) => unknown) => Promise<void>
  /**
   * Removes all that is kept for a user, such as messages that were not delivered yet, whichever process has written it: call it when you delete
   * the user. Rejects with a `TaskStorageError` if the storage fails: call it again later.
   */
  readonly forgetUser: (userId: string) => Promise<void>
  /**
   * Ends all work. The storage has the messages that are not delivered yet, and the next process delivers them. Call it when the process gets `SIGTERM`,
   * after the clients are closed.
   */
  readonly close: () => Promise<void>
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
