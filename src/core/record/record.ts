import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { ToolCallMeta } from '../protocol/register.js'
import { isTerminal, type Task, type TerminalTask } from '../protocol/task.js'
import { type Inputs, NO_INPUTS } from './inputs.js'

export type Era = 'modern' | 'legacy'

/** How a call ended. */
export type Outcome = { readonly result: CallToolResult } | { readonly error: Error }

/** Why the last poll brought no snapshot. */
export interface PollFailure {
  readonly error: Error
  readonly network: 'retrying' | 'paused'
  /** Polls that failed in a row. */
  readonly count: number
  /** Those of them since a token was refused. */
  readonly unreached: number
  /** Responses that broke the protocol in a row. */
  readonly violations: number
  /** JSON-RPC errors so far in the place of a task that the server has never shown. */
  readonly refusals: number
}

/** How a task ended, as the server says it, or what ended the polling. `at`: when that was known, ms since the epoch. */
export type TaskEnd =
  | { readonly at: number; readonly task: TerminalTask }
  | { readonly at: number; readonly error: Error }

/**
 * What is known of a task: the one value that is kept in storage, told to other tabs and shown. It comes from the server
 * (`learn`, `failed`), from this page (an answer, a cancellation) and, by `merge`, from everybody else who has one.
 * All times are ms since the epoch by the clock of this browser, which its tabs share; 0 stands for never.
 *
 * When the next poll is due, `nextPoll` alone says. It is the latest of these, no later than the ttl allows, or earlier after a hint:
 * - `earliestAt`: what the server asked for, by an interval or `Retry-After` (`learn`, `failed`), or an interval where its answer was lost
 *   (`afterSleep` in run/polls.ts) or cannot be read (`readNote` in run/leading.ts). It never goes back.
 * - `retryAt`: the backoff after a failure (`failed`). Gone with the next response, and where the page is online again or the user has
 *   signed in (`soon` in run/page.ts).
 * - `quietUntil`: while the server pushes (`learn`). Gone when the push is over, and with `retryAt`.
 * - an interval after `sentAt`: a poll that was cut off counts as one that was answered.
 */
export interface TaskRecord {
  /** The newest snapshot. */
  readonly task: Task
  readonly era: Era
  /** When the task was received: its ttl counts from here, since clocks differ. Moved later by the lateness of a poll past the ttl (`seen` in learn.ts). */
  readonly receivedAt: number
  /** When `task` arrived; 0 while it is the one that the task was created with. */
  readonly snapshotAt: number
  /** When the server last said anything of the task. */
  readonly heardAt: number
  readonly earliestAt: number
  /** When a poll was last sent, by any tab. */
  readonly sentAt: number
  /** When a poll was last sent so late that the other tabs would have taken it for lost (`believedFrom` in decide.ts); 0 for never. */
  readonly believedFrom: number
  /** When the four members that follow were noted. */
  readonly triedAt: number
  /** Until when a poll that is under way is believed to be. */
  readonly pollingUntil: number
  readonly retryAt: number
  readonly quietUntil: number
  readonly failure: PollFailure | undefined
  /** What the newest snapshot asks, as far as there is room for it. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  /** Keys of the input requests to which the server has taken a response. */
  readonly answered: readonly string[]
  /** Snapshots in a row in which the task asks for input and nothing is left to be answered. */
  readonly idlePolls: number
  /** Whether this browser wants the task to stop, whether the server has taken that, and when it was noted. */
  readonly cancelling: { readonly at: number; readonly isWanted: boolean; readonly isTaken: boolean }
  /** The server has lost the task: since when, and how that was found out. */
  readonly lost: { readonly at: number; readonly reason: 'ttl' | 'unknown-task' } | undefined
  readonly end: TaskEnd | undefined
  /** When anything of this was noted last: what lies in the future was noted by a clock that has been set back since. */
  readonly notedAt: number
  /** What only this page knows. Neither kept nor told. */
  readonly here: Here
}

/** The part of a record that is of this page alone. */
export interface Here {
  readonly inputs: Inputs
  /** How this page's own request to cancel fares. */
  readonly cancel: 'sending' | 'retrying' | undefined
  /** What that failed with. Gone with the next response to a poll. */
  readonly cancelError: Error | undefined
  /** Why nothing is polled, whatever the time. */
  readonly blocked: 'offline' | 'paused' | undefined
  /** The snapshot that was asked for last, was stamped before `task` and so was passed over. */
  readonly passedOver: Task | undefined
  /** When the server last hinted that a poll would show something new. */
  readonly hintedAt: number
  /** Why this page sends the next poll, where nothing that is known of the task says so. Gone once it is sent. */
  readonly because: 'back-online' | 'takeover' | 'resumed' | undefined
  /** True if it was read with times by a clock that has been set back since: what is kept is to be written by this one. */
  readonly wasAhead: boolean
}

export const NOTHING_HERE: Here = {
  inputs: NO_INPUTS,
  cancel: undefined,
  cancelError: undefined,
  blocked: undefined,
  passedOver: undefined,
  hintedAt: 0,
  because: undefined,
  wasAhead: false,
}

const NO_REQUESTS: TaskRecord['inputRequests'] = {}
const NOT_CANCELLING: TaskRecord['cancelling'] = { at: 0, isWanted: false, isTaken: false }

const TIMES = [
  'receivedAt',
  'snapshotAt',
  'heardAt',
  'earliestAt',
  'sentAt',
  'believedFrom',
  'triedAt',
  'pollingUntil',
  'retryAt',
  'quietUntil',
  'notedAt',
] as const

/** A member of a record that is a time, ms since the epoch; 0 for never. */
export type TimeName = (typeof TIMES)[number]

/** A task that is new to this browser. `earliestAt`: before this time the server does not want to be asked. */
export function newTaskRecord(task: Task, era: Era, now: number, earliestAt: number): TaskRecord {
  return {
    task,
    era,
    receivedAt: now,
    snapshotAt: 0,
    heardAt: now,
    earliestAt,
    sentAt: 0,
    believedFrom: 0,
    triedAt: 0,
    pollingUntil: 0,
    retryAt: 0,
    quietUntil: 0,
    failure: undefined,
    inputRequests: NO_REQUESTS,
    answered: [],
    idlePolls: 0,
    cancelling: NOT_CANCELLING,
    lost: undefined,
    end: undefined,
    notedAt: now,
    here: NOTHING_HERE,
  }
}

/** What is known of a call: who it is and, once the server has made one of it, its task. */
export interface CallRecord {
  readonly callId: string
  /** The tool's name. */
  readonly tool: string
  readonly key: string | undefined
  /** A hash of the canonical arguments; undefined where they are not known. */
  readonly argumentsHash: string | undefined
  /** What the app has noted with the call, in clear text. */
  readonly meta: ToolCallMeta | undefined
  /** Up to how many bytes of its result are to be kept. */
  readonly keepResult: number | undefined
  /** The id of the page's request that has started it, where the page's client is that of `taskwire/bridge`. */
  readonly startedFor?: string | undefined
  readonly endpoint: string
  readonly scope: string
  /** When the call was made, ms since the epoch, by this browser's clock. */
  readonly startedAt: number
  /** Of an intent: the key under which the server knows whether the call has reached it. */
  readonly idempotencyKey: string | undefined
  /** Undefined in an intent: the `tools/call` is under way and its response has not arrived. */
  readonly task: TaskRecord | undefined
  /** In place of a task: there is one, and only the tabs that follow it know its id. */
  readonly held: 'working' | 'ended' | undefined
  /** Of an intent: the user has cancelled the call, so that it is not sent again on its own. */
  readonly isCancelled?: boolean | undefined
}

/** The record once the server has shown its task: one that the app has named counts as `modern` until then. */
export function withEra(record: TaskRecord, era: Era): TaskRecord {
  return record.era === era ? record : { ...record, era }
}

/** The record of a task that this page polls next for a reason of its own, or for none. */
export function withReason(record: TaskRecord, because: Here['because']): TaskRecord {
  const { here } = record
  return here.because === because ? record : { ...record, here: { ...here, because } }
}

/** True if nothing is left to be done for the task: it has ended, or the server has lost it. */
export function isOver({ task, lost, end }: TaskRecord): boolean {
  return end !== undefined || lost !== undefined || isTerminal(task.status)
}

/** True if the server has lost the task before it was seen to end. */
export function isLost(record: TaskRecord): record is TaskRecord & { readonly lost: object } {
  return record.lost !== undefined && !isTerminal(record.task.status)
}

/** The times of a record, each read by its name. */
export function timesOf<T>(read: (name: TimeName) => T): Record<TimeName, T> {
  const times: Partial<Record<TimeName, T>> = {}
  for (const name of TIMES) times[name] = read(name)
  return times as Record<TimeName, T>
}

/** The record by a clock that was set back by so much: without this every wait would be longer by as much. */
export function setBack(record: TaskRecord, by: number): TaskRecord {
  const back = (time: number) => (time === 0 ? 0 : Math.max(1, time - by))
  const { lost, cancelling, here } = record
  return {
    ...record,
    ...timesOf((name) => back(record[name])),
    cancelling: { ...cancelling, at: back(cancelling.at) },
    lost: lost && { ...lost, at: back(lost.at) },
    here: { ...here, hintedAt: back(here.hintedAt) },
  }
}

/** Whose records these are. */
export interface RecordOwner {
  readonly endpoint: string
  readonly scope: string
}
