import type { ToolCall } from '../../core/client/taskClient.js'
import type { Environment } from '../../core/environment/environment.js'
import { isTerminal } from '../../core/protocol/task.js'
import { isSettled } from '../../core/record/toolCallState.js'
import type { Session } from './session.js'

type Timers = Pick<Environment, 'setTimeout' | 'clearTimeout'>

/** For how long a start may have been on its way when its page cancelled it, in ms. */
export const LATE_MS = 10_000

/** When it is looked up whether a start is recorded that a page waits for which reads the news here, and how often after that, in ms. */
export const LOOK_UP_MS = 1000

/**
 * Resolves when other processes can know of the call, since its record has a task that runs, or when it is over or asks something. A process
 * that is killed before has not answered, so the page asks another one. With `environment`, it is enough that the call is recorded:
 * without a task it may take long, and the page hears of it.
 */
export function untilKnown({ client, feed }: Session, callId: string, environment: Timers | undefined): Promise<void> {
  return new Promise((resolve) => {
    let timer: unknown
    let isOver = false
    const end = () => {
      isOver = true
      stop()
      environment?.clearTimeout(timer)
      resolve()
    }
    const lookUpLater = () => {
      timer = environment?.setTimeout(() => client.resumeToolCalls({ callId }).then(takeFound, end), LOOK_UP_MS)
    }
    const takeFound = (found: readonly ToolCall[]) => {
      if (isOver) return
      if (found.length > 0) end()
      else lookUpLater()
    }
    const look = () => {
      const state = feed.get(callId)
      // The outcome of a task that has ended is being fetched here, and nowhere else.
      const isRunning = state?.task !== undefined && state.phase !== 'ended' && !isTerminal(state.task.status)
      const isKnown = state === undefined || isSettled(state) || isRunning
      if (!feed.isOver && !isKnown && Object.keys(state.inputRequests).length === 0) return
      end()
    }
    const stop = feed.listen(look, look)
    lookUpLater()
    look()
  })
}

/**
 * Resolves when this process knows that the call asks this, or at the latest after `LATE_MS`. The page has it from another one, and a record does
 * not say what is asked.
 */
export function untilAsked(
  { feed }: Session,
  callId: string,
  inputKey: string,
  { setTimeout, clearTimeout }: Timers,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop()
      clearTimeout(timer)
      resolve()
    }
    const look = () => {
      const state = feed.get(callId)
      const isQuiet = state !== undefined && !isSettled(state) && !Object.hasOwn(state.inputRequests, inputKey)
      if (feed.isOver || !isQuiet) end()
    }
    const timer = setTimeout(end, LATE_MS)
    const stop = feed.listen(look, look)
    look()
  })
}
