import { withoutId } from '../../../core/protocol/text.js'
import { hash } from '../../../core/record/hash.js'
import { type ToolCallState, titleOf } from '../../../core/record/toolCallState.js'
import { duration, oneLine, ticking } from './format.js'
import type { Tone } from './timeline.js'

/** What the client knows of a call beside its state. */
export interface CallTimes {
  readonly nextPollAt: number | undefined
  readonly lastHeardAt: number | undefined
  /** The tool that says how the job stands, where the call is one of `taskwire/jobs`. */
  readonly statusTool?: string | undefined
}

export type Fact = readonly [name: string, value: string]

/** A call as a line of the list, and as tables of its facts: those that have a value. */
export interface CallRow {
  /** What the app calls it, where that has noted a `title` in `meta`; else the tool's name. */
  readonly title: string
  readonly phase: string
  readonly tone: Tone
  /** What the server says, or what went wrong, on one line. */
  readonly message: string
  /** The next poll, or how long the call took. */
  readonly clock: string
  /** What is said in a word or two. */
  readonly facts: readonly Fact[]
  /** What may be as long as somebody likes. */
  readonly texts: readonly Fact[]
  /** Between 0 and 1; undefined where the server gives no total. */
  readonly progress: number | undefined
}

const TONES: Record<ToolCallState['phase'], Tone> = {
  calling: 'active',
  working: 'active',
  input_required: 'warning',
  ended: 'neutral',
  completed: 'success',
  failed: 'danger',
  cancelled: 'neutral',
}

export function callRow(
  call: ToolCallState,
  { nextPollAt, lastHeardAt, statusTool }: CallTimes,
  now: number,
  server?: string,
): CallRow {
  const { name, phase, task, network, error, lastError, failureCount, progress, cancelStatus, startedAt, endedAt } =
    call
  const untilPoll = nextPollAt === undefined ? undefined : nextPollAt - now
  const next = untilPoll === undefined ? undefined : untilPoll > 0 ? `in ${ticking(untilPoll)}` : 'now'
  const message = withoutId(error?.message ?? failureText(call) ?? task?.statusMessage ?? '', task?.taskId)
  return {
    title: titleOf(call),
    phase: phaseOf(call),
    tone: call.result?.isError ? 'danger' : TONES[phase],
    message: oneLine(message),
    clock:
      endedAt === undefined
        ? network === 'ok'
          ? ((next && `next ${next}`) ?? '')
          : network
        : `took ${duration(endedAt - startedAt)}`,
    progress: progress?.total ? progress.progress / progress.total : undefined,
    facts: withValues([
      ['Tool', name],
      ['Key', call.key],
      ['Call', call.callId],
      ['Server', server],
      ['Task', task && `${taskName(task.taskId)} (${statusTool ? `status tool: ${statusTool}` : 'short hash'})`],
      ['Phase', task === undefined || task.status === phase ? phaseOf(call) : `${phase} (task: ${task.status})`],
      ['Network', network],
      ['Last heard', lastHeardAt === undefined ? undefined : `${ticking(now - lastHeardAt)} ago`],
      ['Next poll', next],
      ['Interval', task?.pollIntervalMs === undefined ? undefined : duration(task.pollIntervalMs)],
      ['Cancellation', cancelStatus ?? (phase === 'cancelled' ? 'done' : undefined)],
    ]),
    texts: withValues([
      ['Message', oneLine(message)],
      ['Progress', progress && withoutId(progressText(progress), task?.taskId)],
      ['Failures', lastError && `${failureCount} in a row: ${withoutId(lastError.message, task?.taskId)}`],
      ['Input requests', withoutId(inputText(call), task?.taskId)],
    ]),
  }
}

/** The phase of a call, in which a tool that has failed is no success. */
export function phaseOf({ phase, result }: ToolCallState): string {
  return result?.isError ? `${phase}, isError` : phase
}

/** What a tool that has failed says. */
function failureText({ result }: ToolCallState): string | undefined {
  return result?.isError ? result.content.find((block) => block.type === 'text')?.text : undefined
}

/** The facts that have a value: a label without one says nothing. */
export function withValues(facts: readonly (readonly [name: string, value: string | undefined])[]): Fact[] {
  return facts.filter((fact): fact is Fact => Boolean(fact[1]))
}

/** The name that observations have for a task. */
export function taskName(taskId: string): string {
  return hash(taskId).slice(0, 7)
}

function progressText({ progress, total, message }: NonNullable<ToolCallState['progress']>): string {
  const numbers = total === undefined ? `${progress}` : `${progress} of ${total}`
  return message ? `${numbers}, ${message}` : numbers
}

function inputText({ inputRequests, inputResponses }: ToolCallState): string {
  const keys = new Set([...Object.keys(inputRequests), ...Object.keys(inputResponses)])
  return [...keys].map((key) => `${key}: ${inputResponses[key]?.status ?? 'open'}`).join(', ')
}
