import { CLIENT_CAPABILITIES_META, supportsTasks } from '../protocol/extension.js'
import { isJsonObject } from '../protocol/json.js'
import type { Clock } from '../server/clock.js'
import { resultResponse } from '../server/jsonRpcResponse.js'
import { requestParams } from '../server/requestParams.js'
import { createTaskId } from '../server/taskId.js'
import { type ScriptRun, startScript } from './scriptRun.js'
import type { ScriptedTask } from './scriptTask.js'

/** The scripted tasks of a server. */
export interface ScriptedTasks {
  /** The answer to a request that is about one of them; undefined for what the server itself answers. */
  answer(body: unknown): Response | undefined
}

export interface ScriptedTasksOptions {
  readonly scripts: readonly ScriptedTask[]
  /** Tools that do real work. */
  readonly toolNames: ReadonlySet<string>
  readonly pollIntervalMs: number
  readonly clock: Clock
}

/** Plays scripts to clients. Whatever else a task server has to do, the real one does. */
export function createScriptedTasks(options: ScriptedTasksOptions): ScriptedTasks {
  const { scripts, toolNames, clock } = options
  const forAnyTool = scripts.find(({ name }) => name === undefined)
  const runs = new Map<string, ScriptRun>()

  function scriptOf(tool: unknown): ScriptedTask | undefined {
    if (typeof tool !== 'string' || toolNames.has(tool)) return undefined
    return scripts.find(({ name }) => name === tool) ?? forAnyTool
  }

  function create(script: ScriptedTask): ScriptRun {
    // Not a counter: a page remembers its tasks, and would take one of the next server for its own.
    const taskId = createTaskId()
    const run = startScript(script, taskId, script.pollIntervalMs ?? options.pollIntervalMs, clock)
    runs.set(taskId, run)
    return run
  }

  return {
    answer(body) {
      if (!isJsonObject(body)) return undefined
      const { name, taskId, inputResponses, _meta } = requestParams(body)
      if (!isJsonObject(_meta) || !supportsTasks(_meta[CLIENT_CAPABILITIES_META])) return undefined
      if (body['method'] === 'tools/call') {
        const script = scriptOf(name)
        return script && resultResponse(body, { resultType: 'task', ...create(script).created })
      }
      const run = typeof taskId === 'string' ? runs.get(taskId) : undefined
      if (run === undefined || run.isExpired()) return undefined
      switch (body['method']) {
        case 'tasks/get':
          return resultResponse(body, { resultType: 'complete', ...run.next() })
        case 'tasks/update':
          if (isJsonObject(inputResponses)) run.answer(inputResponses)
          return resultResponse(body, { resultType: 'complete' })
        case 'tasks/cancel':
          run.requestCancel()
          return resultResponse(body, { resultType: 'complete' })
        default:
          return undefined
      }
    },
  }
}
