import {
  ConnectionFailedError,
  type TaskClient,
  TaskExpiredError,
  type ToolCall,
  ToolCallInterruptedError,
  ToolCallRejectedError,
  type ToolCallState,
} from 'taskwire'
import type { SimulatedPage } from 'taskwire/testing'
import { isSettled } from '../../src/core/record/toolCallState.js'
import type { PageNetwork } from '../support/bridgedBackend.js'
import { LONG, REFUSED_SECONDS, type World } from './world.js'

export interface OpenPage {
  readonly client: TaskClient
  readonly page: SimulatedPage
  readonly network: PageNetwork
  user: string
  isFrozen: boolean
}

export interface StartedCall {
  readonly call: ToolCall
  readonly key: string
  /** The user and the key. */
  readonly id: string
  readonly of: OpenPage
  /** True if the page that has started it had not heard of it before. */
  readonly isOwn: boolean
  /** True if its page has forgotten it since, or has shown another user. */
  isLeft: boolean
  /** What `result` has come to. */
  outcome: 'resolved' | 'rejected' | undefined
}

/** What has happened in a schedule that is over. */
export interface Played {
  readonly world: World
  readonly pages: readonly OpenPage[]
  readonly closed: readonly OpenPage[]
  readonly calls: readonly StartedCall[]
  /** Ids of calls that the app has cancelled or forgotten. */
  readonly cancelled: ReadonlySet<string>
  readonly forgotten: ReadonlySet<string>
}

/** What is wrong after a schedule. */
export function judge(played: Played): string[] {
  const handles = played.calls.flatMap((call) => [...wrongHandle(call, played)])
  return [...wrongPages(played), ...wrongRuns(played), ...wrongCancels(played), ...handles]
}

export const statesOf = (client: TaskClient): ToolCallState[] => Object.values(client.store.getState().calls)

/** True if the page of the call was gone before the backend had stored it, and the process that had it is killed: no one can make it again. */
function isGone(id: string, error: Error | undefined, { calls, pages }: Played): boolean {
  return (
    error instanceof TaskExpiredError &&
    !calls.some((call) => call.id === id && call.isOwn && !call.isLeft && pages.includes(call.of))
  )
}

/**
 * True for a call that no process has made: it was refused, also because another user was signed in just then, or cancelled before. The page that
 * has asked for it shows it, and so does a process that has only its intent. Of one that was cancelled, the other pages know that it is no longer
 * there.
 */
function isNeverMade({ phase, error, task }: ToolCallState, id: string, { world, cancelled }: Played): boolean {
  const isOfOther = world.kind === 'switching' && error instanceof ConnectionFailedError
  const isRefused = isOfOther || error instanceof ToolCallRejectedError
  const isNotThere = error instanceof ToolCallInterruptedError || error instanceof TaskExpiredError
  const isCancelled = phase === 'cancelled' || (isNotThere && cancelled.has(id))
  return task === undefined && !world.runs.has(id) && (isRefused || isCancelled)
}

function* wrongPages(played: Played): Iterable<string> {
  const { world, pages, forgotten, cancelled } = played
  const { backend, kind } = world
  const shown = (client: TaskClient, user: string, lost: ReadonlySet<string> = new Set()) =>
    statesOf(client)
      .map((state) => ({ state, id: `${user} ${state.key}` }))
      // After a restart, no one can say of a call that it was forgotten.
      .filter(({ id, state }) => !forgotten.has(id) && !isGone(id, state.error, played))
      .filter(({ id, state }) => !isNeverMade(state, id, played))
      .filter(({ id, state }) => !lost.has(id) || !(state.error instanceof ToolCallInterruptedError))
      .map(({ state, id }) => textOf(state, cancelled.has(id)))
      .sort()
  for (const [at, { client, user }] of pages.entries()) {
    const clients = backend.clientsOf(user)
    const { status } = client.store.getState().connection
    // While nothing runs, the backend does not ask a server that has refused polls, or could not be reached, whether it is well again.
    const isOfBackend = clients.some(({ store }) => store.getState().connection.status === status)
    if (status !== 'connected' && !(isOfBackend && (status === 'connecting' || status === 'failed')))
      yield `page ${at} is ${status}`
    const seen = shown(client, user)
    // A page that has heard of no process which knows the call shows it as unknown, and one that has the intent as interrupted.
    const lost = new Set(
      statesOf(client).flatMap(({ key, error }) => (isGone(`${user} ${key}`, error, played) ? [`${user} ${key}`] : [])),
    )
    const told = clients.map((each) => shown(each, user, lost))
    const isTold = kind === 'shared' ? isOfAny(seen, told) : String(told[0]) === String(seen)
    if (!isTold) yield `page ${at} shows ${seen}; the backend has ${told.join(' or ')}`
  }
}

/** One of several processes may not have looked for what the others have made. But what runs in any of them is shown. */
function isOfAny(seen: readonly string[], told: readonly (readonly string[])[]): boolean {
  const all = told.flat()
  return seen.every((line) => all.includes(line)) && all.every((line) => seen.includes(line) || !isRunning(line))
}

const isRunning = (line: string) => / (calling|working|input_required) /.test(line)

function* wrongRuns({ world, calls, forgotten }: Played): Iterable<string> {
  const { runs, refused, kind, hasClocks } = world
  // A page that has not heard who is signed in starts a call for whoever is when the backend hears of it.
  const most = kind === 'switching' ? world.users.length : 1
  for (const [id, count] of runs)
    if (count > most && !forgotten.has(id)) yield `the tool has run ${count} times for ${id}`
  for (const { id, call } of calls) {
    const { arguments: args, phase } = call.getState()
    if (kind === 'refusing' && args?.['seconds'] === REFUSED_SECONDS && runs.has(id))
      yield `${id} has run, and may not be started`
    const isOnce = calls.filter((each) => each.id === id).length === 1
    // Another tab of the browser may have sent the cancellation, by a clock that only tabs of a schedule have.
    if (refused.has('cancel') && !hasClocks && phase === 'cancelled' && runs.has(id) && isOnce)
      yield `${id} was cancelled, and may not be`
  }
}

/** What was cancelled and does not end by itself must not go on, also where its page has closed, and another one of its user is open. */
function* wrongCancels({ world, pages, calls, cancelled, forgotten }: Played): Iterable<string> {
  const { backend, hasClocks, isSlow, kind, users } = world
  // The pages of a browser have one clock, and those of such a schedule do not.
  if (kind === 'switching' || hasClocks) return
  // A process may take longer to record a start than the next one waits for it: see docs/backend.md.
  if (isSlow) return
  for (const started of calls) {
    const { id, key, call, of } = started
    if (kind === 'shared' && isCancelledElsewhere(started, world)) continue
    // To forget a call gives its cancellation up, also where the backend does not forget it.
    if (calls.some((each) => each.id === id && each.isLeft)) continue
    // What its page has kept of it may be gone: a page of another user removes that, and sends what does not say whose it is.
    if (users.length > 1 && !pages.includes(of)) continue
    const isLong = call.getState().arguments?.['seconds'] === LONG
    if (!isLong || !cancelled.has(id) || forgotten.has(id) || !pages.some(({ user }) => user === of.user)) continue
    for (const client of backend.clientsOf(of.user)) {
      const { phase } = statesOf(client).find((state) => state.key === key) ?? {}
      if (phase === 'calling' || phase === 'working') yield `${id} was cancelled, and is ${phase}`
    }
  }
}

/** True if the start was cancelled at another process than the one that has got it, which may not have heard of that: see docs/backend.md. */
function isCancelledElsewhere({ key, of }: StartedCall, { backend }: World): boolean {
  if (!backend.hasLost('taskwire:bridge:cancelled')) return false
  const own = backend.requests.filter(({ user }) => user === of.user)
  const reachedBy = (isMeant: (action: Readonly<Record<string, unknown>>) => boolean) =>
    own.flatMap(({ body, process }) => (body !== undefined && isMeant(body.action) ? [process] : []))
  const starting = reachedBy(({ type, key: its }) => type === 'start' && its === key)
  const cancelling = reachedBy(({ start, call }) => start !== undefined && Object(call).key === key)
  return !cancelling.every((process) => starting.includes(process))
}

function* wrongHandle({ of, call, id, isOwn, isLeft, outcome }: StartedCall, played: Played): Iterable<string> {
  const { world, pages, closed, cancelled, forgotten } = played
  if (!pages.includes(of) && !closed.includes(of)) return
  const { phase, error, arguments: args } = call.getState()
  // A page whose leading tab was frozen hears late who is signed in, and leaves what was started in the name of another one.
  const isOfOther = world.kind === 'switching' && outcome === 'rejected' && !isSettled(call.getState())
  const isOver = isLeft || isOfOther || closed.includes(of) || forgotten.has(id)
  const expected = isOver ? (outcome ?? 'settled') : phase === 'completed' ? 'resolved' : 'rejected'
  if (outcome !== expected) yield `the handle of ${id} says ${phase}, and its result is ${outcome ?? 'pending'}`
  // A process that is killed between a `tools/call` and its response cannot know what became of it. The page that has made the call asks
  // again, unless it is to be cancelled.
  const isUnknown = error instanceof ToolCallInterruptedError && (!isOwn || cancelled.has(id))
  if (isOver || isUnknown || isGone(id, error, played)) return
  const isRefused =
    error instanceof ToolCallRejectedError && world.kind === 'refusing' && args?.['seconds'] === REFUSED_SECONDS
  if (phase !== 'completed' && !(phase === 'cancelled' && cancelled.has(id)) && !isRefused)
    yield `the handle of ${id} says ${phase}: ${error?.message ?? ''}`
}

/**
 * A backend that was started again has the outcome when somebody looks. Of a call that was cancelled before its response came, it knows only that
 * it was sent.
 */
function textOf({ key, phase, network, task, error }: ToolCallState, isCancelled: boolean): string {
  const isUnknown = isCancelled && error instanceof ToolCallInterruptedError
  return `${key} ${isUnknown ? 'cancelled' : phase === 'ended' ? task?.status : phase} ${network}`
}
