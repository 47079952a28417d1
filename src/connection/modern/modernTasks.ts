import { supportsTasks } from '../../protocol/extension.js'
import type { OnProtocolIssue } from '../../protocol/task.js'
import type { EraTasks } from '../taskApi.js'
import type { TaskRequester } from '../transport/callToken.js'
import { cancelTask, getTask, listenToTasks, updateTask } from './tasks.js'

/** Tasks of 2026-07-28 (SEP-2663): every request declares the extension, and the server decides. */
export function modernTasks(transport: TaskRequester, capabilities: unknown, onIssue: OnProtocolIssue): EraTasks {
  return {
    isServed: supportsTasks(capabilities),
    optIn: () => Promise.resolve(undefined),
    getTask: (taskId, signal) => getTask(transport, taskId, signal, onIssue),
    updateTask: (taskId, inputResponses, signal) => updateTask(transport, taskId, inputResponses, signal),
    cancelTask: (taskId, signal) => cancelTask(transport, taskId, signal),
    listen: (taskIds, hooks) => listenToTasks(transport, taskIds, hooks, onIssue),
    release: () => {},
    close: () => {},
  }
}
