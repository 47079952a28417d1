import { asError } from '../../core/protocol/asError.js'
import { hash } from '../../core/record/hash.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'
import type { DueDelivery, OpenDelivery } from './delivery.js'
import { inLimit } from './post.js'
import type { Shelf, ShelfOptions } from './shelf.js'

export interface SettlingOptions extends ShelfOptions {
  /** The message about a call that has ended; undefined where there is nothing to say. */
  readonly payloadOf: (call: SettledToolCall, userId: string) => string | undefined | Promise<string | undefined>
}

export interface Settling {
  /** Writes the message about a call in place of the note that it runs. */
  settle(id: string, call: SettledToolCall): void
  /**
   * Writes the message that an interrupted call has failed, since no page has sent it again. If a page sends it later, the call ends a second
   * time. Receivers ignore a message whose id they know, so this one has its own id.
   *
   * ```text
   * open ─ … ─ no page sends it again ─ due: failed
   *                                         page: start ─ open ─ ends ─ due: completed; an undelivered "failed" is removed
   * ```
   */
  giveUp(id: string, call: SettledToolCall): void
  /** The call runs again: removes the message that `giveUp` has written, unless it was delivered. */
  takeBack(id: string): void
}

/** The id of the message that a call is taken for failed. */
export const givenUpId = (id: string): string => `msg_${hash(`${id} given up`)}`

export function createSettling({ environment, payloadOf, report }: SettlingOptions, shelf: Shelf): Settling {
  const { items, store, add, alone, remove, drop, schedule, run, leaving } = shelf

  async function due(delivery: OpenDelivery, call: SettledToolCall): Promise<DueDelivery | undefined> {
    const { userId } = delivery
    try {
      const payload = await inLimit(
        'the message about a call was not made',
        payloadOf(call, userId),
        environment,
        leaving,
      )
      const ended = {
        stage: 'due',
        endedAt: call.endedAt,
        attempts: 0,
        nextAt: environment.now(),
        reached: [],
      } as const
      return payload === undefined ? undefined : { ...delivery, ...ended, payload }
    } catch (thrown) {
      if (leaving.aborted) throw leaving.reason
      report(asError(thrown), userId)
      return undefined
    }
  }

  async function put(delivery: DueDelivery): Promise<void> {
    if (items.has(delivery.id)) return
    const item = add(delivery, false)
    item.isSaved = await store.write(delivery)
  }

  function settle(id: string, call: SettledToolCall, messageId: string): void {
    const item = items.get(id)
    // Without a note, the call has ended in an earlier visit, and its end was delivered then.
    if (item === undefined) return
    const write = async () => {
      const known = item.delivery
      if (items.get(id) !== item || known.stage === 'due') return
      const found = item.isSaved ? await store.read(id) : known
      // Another process has delivered it.
      if (found === undefined) return drop(item)
      const next =
        typeof found === 'object' && found.stage === 'due' ? found : await due({ ...known, id: messageId }, call)
      if (next === undefined) return remove(id)
      if (next.id !== id) {
        // Not sent before it is written.
        await alone(next.id, () => put(next))
        return remove(id)
      }
      item.delivery = next
      if (next !== found) item.isSaved = await store.write(next)
      schedule(item)
    }
    void run(alone(id, write))
  }

  return {
    settle: (id, call) => settle(id, call, id),
    giveUp: (id, call) => settle(id, call, givenUpId(id)),
    takeBack: (id) => {
      const other = givenUpId(id)
      if (items.has(other)) void run(alone(other, () => remove(other)))
    },
  }
}
