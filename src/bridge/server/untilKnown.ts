import { amongProcesses } from '../../core/client/amongProcesses.js'
import type { ToolCall } from '../../core/client/taskClient.js'
import type { Environment } from '../../core/environment/environment.js'
import { ToolCallInterruptedError } from '../../core/protocol/errors.js'
import { isTerminal } from '../../core/protocol/task.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import type { Session } from './session.js'

type Timers = Pick<Environment, 'setTimeout' | 'clearTimeout'>

/** For how long a start may have been on its way when its page cancelled it, or sent it again, in ms. */
export const LATE_MS = 10_000

/** When it is looked up whether a start is recorded that a page waits for which reads the news here, and how often after that, in ms. */
export const LOOK_UP_MS = 1000

/**
 * Resolves when this holds of the call, when the call has gone, or when the client was closed. `wait` is called with what ends the wait, and
 * returns what stops it.
 */
function untilCall(
  { feed }: Session,
  callId: string,
  isTrue: (state: ToolCallState) => boolean,
  wait: (end: () => void) => () => void,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopListening()
      stopWaiting()
      resolve()
    }
    const look = () => {
      const state = feed.get(callId)
      if (feed.isOver || state === undefined || isTrue(state)) end()
    }
    const stopListening = feed.listen(look, look)
    const stopWaiting = wait(end)
    look()
  })
}

/**
 * Resolves when the call has a task that runs, is over, or asks something. If a process is killed before that, it has not answered, and the page asks another one. With `environment`, a recorded call is enough: without a task
 * it may take long, and the page hears of it.
 */
export function untilKnown(session: Session, callId: string, environment: Timers | undefined): Promise<void> {
  const isKnown = (state: ToolCallState) => {
    const { task, phase, inputRequests } = state
    // This process alone fetches the outcome of a task that has ended.
    const isRunning = task !== undefined && phase !== 'ended' && !isTerminal(task.status)
    return isSettled(state) || isRunning || Object.keys(inputRequests).length > 0
  }
  return untilCall(session, callId, isKnown, (end) => {
    let timer: unknown
    let isOver = false
    const lookUpLater = () => {
      timer = environment?.setTimeout(() => session.client.resumeToolCalls({ callId }).then(takeFound, end), LOOK_UP_MS)
    }
    const takeFound = (found: readonly ToolCall[]) => {
      if (isOver) return
      if (found.length > 0) end()
      else lookUpLater()
    }
    lookUpLater()
    return () => {
      isOver = true
      environment?.clearTimeout(timer)
    }
  })
}

/**
 * Resolves when the task of a call that this process has made is written down, or cannot be. If the process is killed then, another one finds
 * the task.
 */
export async function untilWritten({ client }: Session, callId: string): Promise<void> {
  const { task, started } = amongProcesses(client).run?.()?.calls.get(callId) ?? {}
  // Of a call that asks something before it has a task, `started` waits for the answer.
  if (task !== undefined) await started
}

/**
 * Resolves when this process knows that the call asks this, or at the latest after `LATE_MS`. The page knows it from another process, and
 * records do not contain input requests.
 */
export function untilAsked(session: Session, callId: string, inputKey: string, timers: Timers): Promise<void> {
  const isAsked = (state: ToolCallState) => isSettled(state) || Object.hasOwn(state.inputRequests, inputKey)
  return untilCall(session, callId, isAsked, within(LATE_MS, timers))
}

/** Resolves when this process knows that an interrupted call runs again, or at the latest after `LATE_MS`: another process may be making it. */
export function untilRunsAgain(session: Session, callId: string, timers: Timers): Promise<void> {
  const isKnown = ({ error }: ToolCallState) => !(error instanceof ToolCallInterruptedError)
  return untilCall(session, callId, isKnown, within(LATE_MS, timers))
}

/**
 * True where the call was started later than the run that a page means: another device has made it again. A process that waits for the call
 * of another one shows a time of its own until it follows that call.
 */
export async function isMadeSince(
  session: Session,
  callId: string,
  run: number = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const isSince = () => (session.feed.get(callId)?.startedAt ?? 0) > run
  const isSure = ({ phase }: ToolCallState) => phase !== 'calling' || !isSince()
  if (isSince()) await untilCall(session, callId, isSure, withoutLimit)
  return isSince()
}

const withoutLimit = () => () => {}

function within(ms: number, { setTimeout, clearTimeout }: Timers): (end: () => void) => () => void {
  return (end) => {
    const timer = setTimeout(end, ms)
    return () => clearTimeout(timer)
  }
}
