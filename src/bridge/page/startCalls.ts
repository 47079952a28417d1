import type { Environment } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskCancelledError, TaskExpiredError, ToolCallKeyConflictError } from '../../core/protocol/errors.js'
import type { ToolCallRequest } from '../../core/protocol/taskPort.js'
import { argumentsHash } from '../../core/record/argumentsHash.js'
import type { RecordOwner } from '../../core/record/record.js'
import { ANY_ARGUMENTS, toolCallId } from '../../core/run/keys.js'
import { isReusable } from '../../core/run/pageCalls.js'
import type { StartOptions } from '../../core/run/startOrResume.js'
import { type Answer, makeKey, type PageAction } from '../wire/messages.js'
import type { Cancels } from './cancels.js'
import { createEntry, type Entry, hasTask, isInterrupted } from './entries.js'
import type { EntryBook } from './entryBook.js'
import type { Mirror } from './mirror.js'
import { GIVEN_UP, type Post } from './requests.js'
import type { NewsTaking } from './takeNews.js'

export interface StartingOptions {
  readonly environment: Environment
  readonly owner: RecordOwner
  readonly book: EntryBook
  readonly news: NewsTaking
  readonly post: Post
  readonly mirror: Pick<Mirror, 'position' | 'user' | 'wireOf'>
  /** Called with what the backend has answered about a call of this page. */
  readonly onAnswer: (entry: Entry, answer: Answer) => void
  /** Resolves when the backend knows that this call was forgotten: what is started afterwards must not be forgotten with it. */
  readonly forgotten: (callId: string) => Promise<unknown>
  readonly cancels: () => Pick<Cancels, 'cancelStart' | 'untilSent'>
}

/** A call that was started, or is known. `refusal` rejects where its arguments are other ones. */
export interface Started {
  readonly entry: Entry
  readonly refusal: Promise<never>
}

interface AskOptions extends StartOptions {
  /** True if all processes have forgotten the call. */
  readonly isLost?: boolean
  /** True if this page watches the call, and has not made it. */
  readonly joins?: boolean
}

/** A promise without end. */
const NEVER: Promise<never> = new Promise(() => {})

/** Starts a call at the backend, or joins the one that this page knows. */
export function startCall(request: ToolCallRequest, how: StartOptions, options: StartingOptions): Started {
  const { book, mirror, owner, environment } = options
  const { name, arguments: args } = request
  const key = how.key ?? makeKey(environment.randomId())
  const callId = toolCallId(owner, name, key)
  const known = book.entries.get(callId)
  // An interrupted call may be sent again under its key, with its arguments.
  const interrupted = known?.isOver && isInterrupted(known.wire) ? known.wire : undefined
  // This page has the arguments that others lack.
  const isUnknown = known !== undefined && known.start === undefined && known.unknown > 0
  if (
    known !== undefined &&
    interrupted === undefined &&
    !isUnknown &&
    isReusable(known.shown, how.repeat ?? 'never')
  ) {
    return { entry: known, refusal: expectSame(known, request, how, options) }
  }
  // Also of a call that is being forgotten.
  const seen = (known?.wire ?? mirror.wireOf(callId))?.startedAt
  // Before the first news, nobody knows here whether there was a run before.
  const after = mirror.position !== undefined ? (seen ?? Number.NEGATIVE_INFINITY) : Number.POSITIVE_INFINITY
  const start = {
    id: environment.randomId(),
    startedAt: environment.now(),
    argumentsHash: how[ANY_ARGUMENTS] || how.key === undefined ? undefined : argumentsHash(args),
    after,
    seen,
    failureCount: 0,
  }
  if (isUnknown && !known.isOver) return goOn(known, { args, meta: how.meta ?? known.meta, start }, how, options)
  const { meta } = how
  const entry = book.add(createEntry({ callId, name, ref: { name, key }, args, meta, start, wire: interrupted }))
  entry.started = askToStart(entry, how, options).catch((thrown: unknown) => refuse(entry, thrown, options))
  return { entry, refusal: NEVER }
}

/**
 * Asks for a call that this page has only watched. Handles that wait for it get what this page makes of it; where it was made with other
 * arguments, they wait as before.
 */
function goOn(
  entry: Entry,
  own: Pick<Entry, 'args' | 'meta' | 'start'>,
  how: AskOptions,
  options: StartingOptions,
): Started {
  const { args, meta, wire, unknown } = entry
  const change = (changes: Partial<Entry>) => options.book.refresh(Object.assign(entry, changes))
  change({ ...own, wire: undefined, unknown: 0 })
  const asked = askToStart(entry, how, options)
  entry.started = asked.catch((thrown: unknown) => {
    if (!(thrown instanceof ToolCallKeyConflictError)) return refuse(entry, thrown, options)
    change({ args, meta, start: undefined, wire: entry.wire ?? wire, unknown })
  })
  const refusal = asked.then(
    () => NEVER,
    (thrown: unknown) => {
      if (thrown instanceof ToolCallKeyConflictError) throw thrown
      return NEVER
    },
  )
  return { entry, refusal }
}

/**
 * Asks once more for a call of this page whose process is gone: the process that finds its record does not have the arguments.
 * The process that answers sends the call again, if the server knows calls by their keys. `lost`: the error that ends the call if it
 * may not be made again.
 *
 * ```text
 * page       start ──────── answer ································ start ───────────── answer
 * process A        intent ─ tools/call ─ killed
 * process B                             finds the intent: interrupted
 * process C                                                               tools/call, same key ─ task
 * ```
 */
export function askAgain(entry: Entry, options: StartingOptions, lost?: Error): void {
  const before = entry.start
  if (before === undefined) return
  const { told: _, ...start } = before
  entry.start = { ...start, id: options.environment.randomId(), seen: undefined }
  entry.unknown = 0
  const how = { meta: entry.meta, isLost: lost !== undefined, [ANY_ARGUMENTS]: true }
  entry.started = askToStart(entry, how, options).catch(() => {
    if (lost !== undefined) return options.book.fail(entry, lost)
    // It stays interrupted.
    entry.start = before
    options.book.refresh(entry)
  })
}

/**
 * No process knows the call, as with the intent of a tool that only reads. One of this page is made again where that does no harm, unless this
 * page has cancelled it. If it had a task, it had a record, which is gone: it was forgotten, maybe on another device, or is too old.
 */
export function giveUp(entry: Entry, error: Error, options: StartingOptions): void {
  const { start, cancel, callId, isCancelled } = entry
  const { book } = options
  if (hasTask(entry)) book.fail(entry, error)
  else if (isCancelled) book.fail(entry, new TaskCancelledError(undefined, { callId }))
  else if (start === undefined || cancel !== undefined || !book.isElsewhere(entry)) book.fail(entry, error)
  // Else it is being asked for at this moment.
  else if (start.told !== undefined) askAgain(entry, options, error)
}

async function askToStart(entry: Entry, how: AskOptions, options: StartingOptions): Promise<void> {
  // Another one may sign in before it is sent.
  const { user } = options.mirror
  await Promise.all([options.forgotten(entry.callId), options.cancels().untilSent(entry.callId)])
  const answer = await postStart(entry, how, user, options)
  const { start, wire } = entry
  if (start === undefined || answer.startedAt === undefined) return
  // The news still show the interrupted state. The run that the backend has started since has a later time.
  const isBehind = isInterrupted(wire) && !options.book.isTold(answer)
  const known = wire === undefined ? 0 : wire.startedAt + Number(isBehind)
  const run = answer.call?.startedAt ?? Math.max(answer.startedAt, known)
  const isNew = start.isNew ?? (answer.isNew === true && run === answer.startedAt)
  const startedAt = isNew ? start.startedAt : run
  entry.start = { ...start, startedAt, run, isNew, told: answer, takenBy: answer.epoch, failureCount: 0 }
  options.onAnswer(entry, answer)
}

/**
 * Asks for the call until there is an answer. If the app cancels it meanwhile, that is sent instead: what the backend has never heard of is
 * not made.
 *
 * ```text
 * page  start ─ offline ─ cancel() ─ online ─ cancelled ─ no such start, and never one
 * page  start ─ no answer ─ cancel() ──────── cancelled ─ that start ─ tasks/cancel
 * ```
 */
async function postStart(
  entry: Entry,
  how: AskOptions,
  user: string | undefined,
  { environment, book, post, cancels }: StartingOptions,
): Promise<Answer> {
  const { id, seen } = entry.start ?? {}
  /** When it was first sent, by the clock of the page. */
  let sentAt: number | undefined
  const action = (now: number) => {
    sentAt ??= now
    return actionOf(entry, how, seen, now < sentAt ? undefined : now - sentAt)
  }
  const onRetry = (lastError: Error) => {
    const { start } = entry
    if (start === undefined) return
    entry.start = { ...start, failureCount: start.failureCount + 1, lastError }
    book.refresh(entry)
  }
  // One that has ended is made no more: the backend may have lost what it knew of it.
  const isGivenUp = () => entry.isForgotten || entry.isOver || entry.cancel !== undefined
  try {
    return await post(action, { id, user, onRetry, isGivenUp })
  } catch (thrown) {
    if (thrown !== GIVEN_UP || entry.isOver || entry.cancel === undefined) throw thrown
  }
  try {
    return await cancels().cancelStart(entry, user)
  } catch (thrown) {
    if (thrown instanceof TaskCancelledError) throw thrown
    // It may not be cancelled, or has to be made again before it can be.
    const answer = await post(action, { id, user, onRetry, isRepeated: true })
    // The news of a process that knows only the first attempt have ended it here.
    if (entry.isOver) {
      const request = { id: environment.randomId(), at: environment.now() }
      cancels()
        .cancelStart(entry, user, request)
        .catch(() => {})
    }
    return answer
  }
}

function refuse(entry: Entry, thrown: unknown, { book, news }: StartingOptions): void {
  const error = asError(thrown)
  if (entry.isOver || !book.isCurrent(entry)) return entry.reject(error)
  const { callId, wire } = entry
  const isCancelled = error instanceof TaskCancelledError
  if (!(error instanceof ToolCallKeyConflictError) && (!isCancelled || wire === undefined))
    return book.fail(entry, error)
  // The call of that key that the news tell of is another one, and continues; only this one is refused.
  entry.reject(error)
  book.drop(entry)
  if (wire === undefined) return
  if (isCancelled) book.fail(entry, error)
  news.takeCall(callId, wire, undefined)
  const other = book.entries.get(callId)
  // Or it was this one, in a process that is gone.
  if (other !== undefined) other.isCancelled ||= isCancelled
}

/** Rejects if the call has other arguments. If this page does not know them, it asks the backend. */
async function expectSame(
  entry: Entry,
  request: ToolCallRequest,
  how: StartOptions,
  { book, post }: StartingOptions,
): Promise<never> {
  const { args, callId, name, ref } = entry
  if (how[ANY_ARGUMENTS] || !('key' in ref)) return NEVER
  if (args === undefined) {
    // It may end before this is sent: it was joined all the same.
    const asked = { ...how, repeat: 'never' as const, joins: true }
    const isGivenUp = () => !book.isCurrent(entry)
    await post(actionOf({ name, ref, args: request.arguments }, asked, entry.wire?.startedAt), { isGivenUp }).catch(
      (thrown: unknown) => {
        // It was forgotten, as the news say.
        if (thrown !== GIVEN_UP && !(thrown instanceof TaskExpiredError)) throw thrown
      },
    )
  } else if (argumentsHash(args) !== argumentsHash(request.arguments)) {
    throw new ToolCallKeyConflictError(name, { callId, key: ref.key })
  }
  return NEVER
}

function actionOf(
  { name, ref, args }: Pick<Entry, 'name' | 'ref' | 'args'>,
  { repeat = 'never', meta, isLost, joins, [ANY_ARGUMENTS]: takesAny }: AskOptions,
  seen: number | undefined,
  ageMs?: number,
): PageAction {
  return {
    type: 'start',
    name,
    key: 'key' in ref ? ref.key : '',
    repeat,
    ...(args && { arguments: args }),
    ...(meta && { meta }),
    ...(takesAny === true && { takesAny }),
    ...(seen !== undefined && { seen }),
    ...(ageMs !== undefined && { ageMs }),
    ...(isLost && { isLost }),
    ...(joins && { joins }),
  }
}
