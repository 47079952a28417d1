import { keepInUse } from '../../core/client/clientInUse.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { asError } from '../../core/protocol/asError.js'
import { ToolCallInterruptedError } from '../../core/protocol/errors.js'
import { hash } from '../../core/record/hash.js'
import { isSettled, type SettledToolCall } from '../../core/record/toolCallState.js'
import type { Delivery, DueDelivery, OpenDelivery } from './delivery.js'
import type { Processes } from './processes.js'
import type { Shelf, ShelfOptions } from './shelf.js'
import { watchCalls } from './watchCalls.js'

export interface NotingOptions extends ShelfOptions {
  /** The message about a call that has ended; undefined where there is nothing to say. */
  readonly payloadOf: (call: SettledToolCall, userId: string) => string | undefined
}

export interface Noting {
  watch(client: TaskClient, userId: string): void
  /** Finds out how calls of these users go, where this process has a client of theirs. */
  follow(userIds: ReadonlySet<string>): void
}

/** How often it is looked whether an interrupted call runs again before it is taken for failed, and how long to wait before each look, in ms. */
const LOOKS = 5
const LOOK_MS = 60_000

/**
 * Notes each call that runs, and how it ends:
 *
 * runs ▶ write open … ends ▶ write due ▶ send … taken ▶ remove
 *
 * A process that is killed leaves what it has written. Of an open delivery, the next process asks the client how the call has ended.
 */
export function createNoting(
  options: NotingOptions,
  shelf: Shelf,
  loaded: Promise<unknown>,
  processes: Processes | undefined,
): Noting {
  const { environment, payloadOf, report } = options
  const { items, store, add, alone, remove, drop, schedule, run, runLater } = shelf
  const clients = new Map<TaskClient, string>()

  function open(delivery: OpenDelivery): void {
    if (items.has(delivery.id)) return
    const item = add(delivery, false)
    const write = async () => {
      await processes?.isNamed
      const found = await store.read(delivery.id)
      if (typeof found === 'object') item.delivery = found
      item.isSaved = typeof found === 'object' || (await store.write(delivery))
      schedule(item)
    }
    void run(alone(item.delivery.id, write))
  }

  /** The message, written in place of the note that the call runs. */
  function due(delivery: OpenDelivery, call: SettledToolCall): DueDelivery | undefined {
    const { userId } = delivery
    try {
      const payload = payloadOf(call, userId)
      const ended = {
        stage: 'due',
        endedAt: call.endedAt,
        attempts: 0,
        nextAt: environment.now(),
        reached: [],
      } as const
      return payload === undefined ? undefined : { ...delivery, ...ended, payload }
    } catch (thrown) {
      report(asError(thrown), userId)
      return undefined
    }
  }

  function settle(id: string, call: SettledToolCall): void {
    const item = items.get(id)
    // Without a note, the call has ended in an earlier visit, and its end was delivered then.
    if (item === undefined) return
    const write = async () => {
      const known = item.delivery
      if (items.get(id) !== item || known.stage === 'due') return
      const found = item.isSaved ? await store.read(id) : known
      // Another process has delivered it.
      if (found === undefined) return drop(item)
      const next = typeof found === 'object' && found.stage === 'due' ? found : due(known, call)
      if (next === undefined) return remove(id)
      item.delivery = next
      if (next !== found) item.isSaved = await store.write(next)
      schedule(item)
    }
    void run(alone(item.delivery.id, write))
  }

  /** Finds out how calls have ended that ran when an earlier process was killed. */
  async function catchUp(client: TaskClient, userId: string): Promise<void> {
    await loaded
    for (const { delivery } of [...items.values()]) {
      const { userId: owner, clientId } = delivery
      if (owner === userId && clientId === client.id) await ask(client, delivery, LOOKS)
    }
  }

  /**
   * Asks how a call has ended. Only a page that has the arguments can go on with one that was interrupted before it had a task.
   *
   * ```text
   * A  open ─ tools/call ─ killed
   * B            interrupted ─ 1 min ─ start of the page: runs again ─ due
   * B            interrupted ─ 1 min ─ … ─ LOOKS ─────────────────────── due: failed
   * ```
   */
  async function ask(client: TaskClient, delivery: Delivery, looks: number): Promise<void> {
    const { id, callId, startedAt } = delivery
    if (items.get(id)?.delivery.stage !== 'open') return
    const [call] = await client.resumeToolCalls({ callId })
    const onEnd = () => {
      const state = client.getToolCallState(callId)
      if (state === undefined || !isSettled(state) || state.startedAt !== startedAt) return
      if (looks === 0 || !(state.error instanceof ToolCallInterruptedError)) return settle(id, state)
      const letGo = keepInUse(client)
      runLater(() => ask(client, delivery, looks - 1).finally(letGo), LOOK_MS)
    }
    if (call === undefined) onEnd()
    else call.result.then(onEnd, onEnd)
  }

  return {
    watch: (client: TaskClient, userId: string): void => {
      const idOf = (callId: string, startedAt: number) =>
        `msg_${hash(JSON.stringify([client.id, userId, callId, startedAt]))}`
      clients.set(client, userId)
      watchCalls(client, {
        onRunning: ({ callId, startedAt }) =>
          open({
            ...{ id: idOf(callId, startedAt), stage: 'open', userId, clientId: client.id, callId, startedAt },
            ...(processes && { holder: processes.own }),
          }),
        onClosed: () => clients.delete(client),
        onSettled: (call) => settle(idOf(call.callId, call.startedAt), call),
        onGone: (callId, startedAt) => {
          const item = items.get(idOf(callId, startedAt))
          if (item?.delivery.stage === 'open') void run(alone(item.delivery.id, () => remove(item.delivery.id)))
        },
      })
      void run(catchUp(client, userId))
    },
    follow: (userIds) => {
      for (const [client, userId] of clients) if (userIds.has(userId)) void run(catchUp(client, userId))
    },
  }
}
