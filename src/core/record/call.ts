import type { TaskProgress } from '../protocol/progress.js'
import type { ToolCallMeta } from '../protocol/register.js'
import type { Task } from '../protocol/task.js'
import type { Inputs } from './inputs.js'
import type { Wish } from './planStart.js'
import type { CallRecord, Outcome, RecordOwner, TaskRecord } from './record.js'

/**
 * A call in this page: who it is, and how far it has come. From `task` on what is known of it is the record of its task.
 *
 * ```text
 * waiting ─▶ calling ─┬──────────────────▶ settled
 *    │                └─▶ task ─▶ ending ────┘
 *    ├─ another page has made the call ─▶ task, or settled
 *    └─ cancelled, refused or interrupted ─▶ settled
 * recorded: it ended in an earlier visit ─▶ task
 * left: closed, forgotten or started again
 * ```
 */
export interface Call {
  /** Made of the server, the scope, the tool and the key, so it is the same in every tab and visit; without a key it is random. */
  readonly callId: string
  readonly name: string
  readonly key: string | undefined
  readonly arguments: Readonly<Record<string, unknown>> | undefined
  readonly argumentsHash: string | undefined
  /** What the app has noted with it. */
  readonly meta: ToolCallMeta | undefined
  /** Up to how many bytes of its result are to be kept. */
  readonly keepResult: number | undefined
  /** The id of the page's request that has started it, in a backend: see `STARTED_FOR` (keys.ts). */
  readonly startedFor: string | undefined
  readonly startedAt: number
  /** What this page has sent: `repeated` if the `tools/call` was sent before, here or earlier, and no response came. */
  readonly sent: 'no' | 'once' | 'repeated'
  /** How far it has come by the notifications of the server, and when the last one came; 0: none has. */
  readonly progress: TaskProgress | undefined
  readonly progressAt: number
  readonly stage: CallStage
}

/**
 * How far a call has come. If you add a stage, `npx tsc` points to `show`. Then search src/core for `stage.name`: these checks say what a
 * call in each stage must not do, and what `observe()` tells of it. What is shown of a stage is a phase: `ToolCallPhase` (toolCallState.ts).
 */
export type CallStage =
  /**
   * `isCancelling`: should another page have made the call, its task is to be cancelled; else the call is not made. `tools`: an
   * earlier page has sent it, and the list of the tools says whether it may be sent again.
   */
  | {
      readonly name: 'waiting'
      readonly for: 'lock' | 'tools' | 'network'
      readonly wish: Wish
      readonly isCancelling: boolean
    }
  | {
      readonly name: 'calling'
      /** What it asks before there is a task (multi round-trip). */
      readonly inputs: Inputs
      /** Why it is sent again, and after how many failures. */
      readonly failure: { readonly error: Error; readonly count: number } | undefined
      readonly isOffline: boolean
      /** Cancelled in another tab: if it becomes a task, that is to be cancelled; if the next attempt fails, it is the last one. */
      readonly isCancelling: boolean
    }
  | { readonly name: 'task' }
  /** Its task has ended; the result is being checked. */
  | { readonly name: 'ending' }
  /** `canRepeat`: an earlier page has sent it, and with its arguments it can be sent again under its key. */
  | {
      readonly name: 'settled'
      readonly outcome: Outcome
      readonly task: Task | undefined
      readonly endedAt: number
      readonly canRepeat: boolean
    }
  | { readonly name: 'recorded'; readonly record: CallRecord; readonly endedAt: number }
  | { readonly name: 'left'; readonly reason: Error }

/** What other pages may know of a call. */
export function recordOf(call: Call, task: TaskRecord | undefined, owner: RecordOwner): CallRecord {
  return {
    callId: call.callId,
    tool: call.name,
    key: call.key,
    argumentsHash: call.argumentsHash,
    meta: call.meta,
    keepResult: call.keepResult,
    startedFor: call.startedFor,
    endpoint: owner.endpoint,
    scope: owner.scope,
    startedAt: call.startedAt,
    idempotencyKey: undefined,
    task,
    held: undefined,
  }
}

/** The end of a call in this page. */
export function settledBy(outcome: Outcome, endedAt: number, task?: Task, canRepeat = false): CallStage {
  return { name: 'settled', outcome, task, endedAt, canRepeat }
}

/** The call as an earlier page or another tab has made it. One that is sent again under its key keeps the start that it is sent for. */
export function asFound(call: Call, found: CallRecord): Call {
  const { startedAt, argumentsHash = call.argumentsHash, meta = call.meta, keepResult = call.keepResult } = found
  return { ...call, startedAt, argumentsHash, meta, keepResult }
}

/** True where nothing more happens to the call in this page. */
export function isDone({ stage }: Call): boolean {
  return stage.name === 'settled' || stage.name === 'left'
}
