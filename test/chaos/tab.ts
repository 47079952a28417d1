import type { TaskClient, ToolCallState } from 'taskwire'
import type { SimulatedPage } from 'taskwire/testing'

/** A page from its opening to its end, with its client. */
export interface Tab {
  readonly name: string
  readonly page: SimulatedPage
  readonly client: TaskClient
  /** Whether its client is that of an earlier commit. */
  readonly isEarlier: boolean
  openedAt: number
  awakeSince: number
  isAlive: boolean
  isFrozen: boolean
  /** In the back-forward cache. */
  isCached: boolean
  /** Whether the client has been closed. */
  isClosed: boolean
  isOnline: boolean
  isVisible: boolean
  /** On the machine's own time. */
  endedAt?: number
  /** When it last went into the back-forward cache, on the machine's own time. */
  cachedAt?: number
  /** How far its clock is ahead of that of the machine, in ms. */
  aheadMs: number
}

/** Whether a call has come to its end, as far as its page knows. */
export function isSettled({ phase }: ToolCallState): boolean {
  return phase === 'completed' || phase === 'failed' || phase === 'cancelled'
}

/** Whether a page has a call that the server has not taken yet. */
export function isBeginning({ client }: Tab): boolean {
  return Object.values(client.store.getState().calls).some((call) => call.task === undefined && !isSettled(call))
}

/** Whether nothing reaches a page that is there. */
export function isAsleep(tab: Tab): boolean {
  return tab.isFrozen || tab.isCached
}

export function isAwake(tab: Tab): boolean {
  return tab.isAlive && !tab.isFrozen && !tab.isCached && !tab.isClosed
}

/** Not a call of an earlier visit that is only listed: its page neither asks nor hears of it until somebody looks. */
export function follows({ client }: Tab, taskId: string): boolean {
  return Object.values(client.store.getState().calls).some(
    (call) => call.task?.taskId === taskId && call.phase !== 'ended' && !isSettled(call),
  )
}

/** The input requests that a tab shows: calls and keys. */
export function openInputRequests({ client }: Tab): (readonly [callId: string, inputKey: string])[] {
  return Object.values(client.store.getState().calls).flatMap(({ callId, inputRequests }) =>
    Object.keys(inputRequests).map((inputKey) => [callId, inputKey] as const),
  )
}

/** The calls that ended in earlier visits, and whose outcome nobody has looked at. */
export function endedCalls({ client }: Tab): string[] {
  return Object.values(client.store.getState().calls).flatMap(({ callId, phase }) =>
    phase === 'ended' ? [callId] : [],
  )
}
