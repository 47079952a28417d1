import { keepInUse } from '../../core/client/clientInUse.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { ToolCallInterruptedError } from '../../core/protocol/errors.js'
import { hash } from '../../core/record/hash.js'
import { type FailedToolCall, isSettled, type SettledToolCall } from '../../core/record/toolCallState.js'
import type { Delivery, OpenDelivery } from './delivery.js'
import type { Processes } from './processes.js'
import { createSettling, type SettlingOptions } from './settling.js'
import type { Shelf } from './shelf.js'
import { watchCalls } from './watchCalls.js'

export interface Noting {
  watch(client: TaskClient, userId: string): void
  /** Finds out how calls of these users go, where this process has a client of theirs. */
  follow(userIds: ReadonlySet<string>): void
  /** Removes an old note, unless a client of this process knows its call: a task may run for weeks. */
  removeUnknown(delivery: OpenDelivery): Promise<void>
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
  options: SettlingOptions,
  shelf: Shelf,
  loaded: Promise<unknown>,
  processes: Processes | undefined,
): Noting {
  const { items, store, add, alone, remove, schedule, run, runLater } = shelf
  const { settle, giveUp, takeBack } = createSettling(options, shelf)
  const clients = new Map<TaskClient, string>()

  function open(delivery: OpenDelivery): void {
    if (items.has(delivery.id)) return
    takeBack(delivery.id)
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

  function removeNote(id: string): void {
    if (items.get(id)?.delivery.stage === 'open') void run(alone(id, () => removeOpen(id)))
  }

  /** Removes a note. If the call has ended meanwhile, here or in another process, its message stays. */
  async function removeOpen(id: string): Promise<void> {
    const item = items.get(id)
    if (item?.delivery.stage !== 'open') return
    const found = item.isSaved ? await store.read(id) : undefined
    if (typeof found !== 'object' || found.stage === 'open') return remove(id)
    item.delivery = found
    schedule(item)
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
      const same = state?.startedAt === startedAt ? state : undefined
      if (same !== undefined && !isSettled(same)) return
      if (same !== undefined && !(same.error instanceof ToolCallInterruptedError)) return settle(id, same)
      // A client that was closed knows nothing of its calls.
      if (!clients.has(client)) return
      if (looks === 0) return void run(leave(delivery, same, state !== undefined))
      const letGo = keepInUse(client)
      runLater(() => ask(client, delivery, looks - 1).finally(letGo), LOOK_MS)
    }
    if (call === undefined) onEnd()
    else call.result.then(onEnd, onEnd)
  }

  /**
   * Takes a call for failed that no page has sent again. If the tool may run twice, the client does not list the record of the call, and
   * `state` is undefined. `isMadeAgain`: a later run has its own note, so there is nothing to say of this one.
   */
  async function leave(delivery: Delivery, state: SettledToolCall | undefined, isMadeAgain: boolean): Promise<void> {
    const { id } = delivery
    const call = state ?? (isMadeAgain ? undefined : interruptedCall(delivery, options.environment.now()))
    if (call === undefined) await alone(id, () => remove(id))
    else giveUp(id, call)
  }

  return {
    watch: (client: TaskClient, userId: string): void => {
      const idOf = (callId: string, startedAt: number) =>
        `msg_${hash(JSON.stringify([client.id, userId, callId, startedAt]))}`
      clients.set(client, userId)
      watchCalls(client, {
        onRunning: ({ callId, startedAt, name, key, meta }) =>
          open({
            ...{ id: idOf(callId, startedAt), stage: 'open', userId, clientId: client.id, callId, startedAt },
            ...(processes && { holder: processes.own }),
            call: { name, ...(key !== undefined && { key }), ...(meta && { meta }) },
          }),
        onClosed: () => clients.delete(client),
        onSettled: (call) => settle(idOf(call.callId, call.startedAt), call),
        onGone: (callId, startedAt) => removeNote(idOf(callId, startedAt)),
      })
      client.onForgotten((isForgotten) => {
        for (const { delivery } of [...items.values()])
          if (delivery.clientId === client.id && isForgotten(delivery.callId)) removeNote(delivery.id)
      })
      void run(catchUp(client, userId))
    },
    follow: (userIds) => {
      for (const [client, userId] of clients) if (userIds.has(userId)) void run(catchUp(client, userId))
    },
    removeUnknown: async ({ id, clientId, callId, startedAt }) => {
      const isKnown = [...clients.keys()].some(
        (client) => client.id === clientId && client.getToolCallState(callId)?.startedAt === startedAt,
      )
      if (!isKnown) await alone(id, () => removeOpen(id))
    },
  }
}

/** A call that no client knows; undefined where an earlier version has noted it, without its name. */
function interruptedCall(delivery: Delivery, endedAt: number): FailedToolCall | undefined {
  const { callId, startedAt } = delivery
  const call = delivery.stage === 'open' ? delivery.call : undefined
  return (
    call && {
      ...call,
      ...{ callId, startedAt, endedAt },
      phase: 'failed',
      error: new ToolCallInterruptedError(call.name, { callId }),
      inputRequests: {},
      inputResponses: {},
      isCancelling: false,
      network: 'ok',
      failureCount: 0,
    }
  )
}
