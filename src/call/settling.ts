import type { Environment } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import type { Task, TerminalTask } from '../protocol/task.js'
import { type CallEvent, isTracked, type Outcome } from './call.js'
import type { CallEntry } from './callEntry.js'
import { type RecordOwner, recordOf } from './callRecord.js'
import type { CallTabs } from './callTabs.js'
import { taskOutcome } from './taskOutcome.js'
import type { TaskPort } from './taskPort.js'

export interface SettlingOptions {
  readonly port: Pick<TaskPort, 'completeCall'>
  readonly tabs: Pick<CallTabs, 'postCall'>
  readonly owner: RecordOwner
  readonly environment: Pick<Environment, 'now'>
  readonly dispatch: (entry: CallEntry, event: CallEvent) => void
  /** Keeps or removes the record of a call that ends. */
  readonly closeRecord: (entry: CallEntry, error: Error | undefined) => Promise<void>
  /** Called when a call has ended. */
  readonly onSettled: (entry: CallEntry) => void
}

/** How a call comes to its outcome. */
export interface Settling {
  /** The task has ended, or the polling has come to this: checks the result, and settles the call with it. */
  finish(entry: CallEntry, end: TerminalTask | Error): Promise<void>
  /** `isForeign`: the outcome came from another tab, which has posted it to the others. */
  settle(entry: CallEntry, outcome: Outcome, isForeign?: boolean, task?: Task): Promise<void>
}

export function createSettling(options: SettlingOptions): Settling {
  const { port, tabs, dispatch } = options

  async function settle(entry: CallEntry, outcome: Outcome, isForeign = false, task?: Task): Promise<void> {
    const { call } = entry
    const error = 'error' in outcome ? outcome.error : undefined
    if (!isForeign) {
      if (!isTracked(call) && call.key !== undefined) {
        const { argumentsHash } = call
        tabs.postCall(call.callId, { type: 'settled', outcome, argumentsHash })
      }
      await options.closeRecord(entry, error)
    }
    entry.unlock?.()
    if (entry.left !== undefined) return
    if (isTracked(call)) entry.record = recordOf(call, options.owner, options.environment.now())
    dispatch(entry, { type: 'settled', outcome, ...(task && { task }) })
    if ('error' in outcome) entry.reject(outcome.error)
    else entry.resolve(outcome.result)
    options.onSettled(entry)
  }

  return {
    finish: async (entry, end) => {
      const { callId, name } = entry.call
      try {
        if (end instanceof Error) throw end
        await settle(entry, { result: await port.completeCall(name, taskOutcome(end, callId)) })
      } catch (error) {
        await settle(entry, { error: asError(error) })
      }
    },
    settle,
  }
}
