import type { TerminalTask } from '../protocol/task.js'
import { type CallEvent, type Effect, isTracked } from './call.js'
import type { CallEntry } from './callEntry.js'
import type { CallTabs } from './callTabs.js'
import type { InputResponses } from './inputResponses.js'
import type { PollQueue } from './pollQueue.js'
import type { TaskIndex } from './taskIndex.js'
import type { TaskMessage } from './taskMessage.js'
import type { TaskPort } from './taskPort.js'

export interface EffectsOptions {
  readonly port: Pick<TaskPort, 'cancelTask' | 'holdSignIn'>
  readonly tabs: Pick<CallTabs, 'postTask'>
  readonly polls: Pick<PollQueue, 'add'>
  readonly responses: Pick<InputResponses, 'handle'>
  readonly index: Pick<TaskIndex, 'entriesOf'>
  readonly readNote: (entry: CallEntry, taskId: string) => Promise<void>
  readonly finish: (entry: CallEntry, end: TerminalTask | Error) => Promise<void>
  readonly dispatch: (entry: CallEntry, event: CallEvent) => void
  readonly onError: (error: unknown, callId: string, operation: 'poll' | 'respond' | 'cancel') => void
}

/** Returns a function that does what is to be done because of an event, but for the record, which is written first. */
export function createEffects(options: EffectsOptions): (entry: CallEntry, effect: Effect) => void {
  const { port, tabs, dispatch, onError } = options

  /**
   * Posts what was done to the task to the other tabs, and applies it to the other calls of this page that refer to it.
   */
  function post(entry: CallEntry, taskId: string, message: TaskMessage): void {
    tabs.postTask(taskId, message)
    if (message.type === 'snapshot') return
    for (const other of options.index.entriesOf(taskId)) {
      if (other !== entry) dispatch(other, { type: 'message', message, isOwn: false })
    }
  }

  return (entry, effect) => {
    const { call } = entry
    const { callId } = call
    if (!isTracked(call)) return
    const { taskId } = call.task
    switch (effect.type) {
      case 'poll':
        return options.polls.add(taskId)
      case 'post':
        return post(entry, taskId, effect.message)
      case 'hold-sign-in':
        return port.holdSignIn?.()
      case 'read-next-poll':
        return void options.readNote(entry, taskId)
      case 'lead':
        return entry.leadership?.steal()
      case 'end':
        return void options.finish(entry, effect.end)
      case 'handle-input':
        return options.responses.handle(entry, effect.inputKeys)
      case 'record':
        return
      case 'cancel-stuck':
        return void port.cancelTask(taskId).catch((error: unknown) => onError(error, callId, 'cancel'))
      case 'report':
        return onError(effect.error, callId, effect.operation)
    }
  }
}
