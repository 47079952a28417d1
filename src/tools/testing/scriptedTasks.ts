import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { CLIENT_CAPABILITIES_META, IDEMPOTENCY_KEY_META, supportsTasks } from '../../core/protocol/extension.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { type Clock, MAX_TIMER_MS } from '../../server/base/clock.js'
import { resultResponse } from '../../server/http/jsonRpcResponse.js'
import { requestParams } from '../../server/http/requestParams.js'
import { createTaskStream } from '../../server/push/taskStream.js'
import { followTasks } from '../../server/push/taskUpdates.js'
import { createTaskFeed } from '../../server/tasks/taskFeed.js'
import { createTaskId } from '../../server/tasks/taskId.js'
import type { TaskRecord } from '../../server/tasks/taskRecord.js'
import { withWireProgress } from '../../server/tasks/toWireTask.js'
import { type ScriptRun, startScript } from './scriptRun.js'
import type { ScriptedTask } from './scriptTask.js'

/** The scripted tasks of a server. */
export interface ScriptedTasks {
  /** Whether a request is about one of them, and not for the server itself. */
  isAbout(body: unknown): boolean
  /** Answers such a request. Returns undefined if the task belongs to another owner: the server then says that it knows no such task. */
  answer(body: unknown, owner: string): Response | undefined
  /** Adds those of an owner to the server's stream of status notifications, if a `subscriptions/listen` names them. */
  push(request: Request, body: unknown, owner: string, response: Response): Promise<Response>
  /** Leaves every request to the server, and ends all streams. */
  close(): void
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
  const [forAnyTool, another] = scripts.filter(({ name }) => name === undefined)
  if (another !== undefined)
    throw new TaskConfigurationError(
      'Two scripts have no name, and only the first would play. Name the tools that they play for: scriptTask(steps, { name }).',
    )
  const runs = new Map<string, { readonly run: ScriptRun; readonly owner: string }>()
  /** Of calls that may come again. */
  const byKey = new Map<string, ScriptRun>()
  const feed = createTaskFeed()
  const timers = new Map<string, unknown>()
  let isClosed = false

  function scriptOf(tool: unknown): ScriptedTask | undefined {
    if (typeof tool !== 'string' || toolNames.has(tool)) return undefined
    return scripts.find(({ name }) => name === tool) ?? forAnyTool
  }

  function create(script: ScriptedTask, owner: string): ScriptRun {
    // Not a counter: a page remembers its tasks, and would take one of the next server for its own.
    const taskId = createTaskId()
    const { pollIntervalMs = options.pollIntervalMs } = script
    const run = startScript(script, { taskId, pollIntervalMs, clock, onChange: () => notify(taskId) })
    runs.set(taskId, { run, owner })
    return run
  }

  /** A call that comes again under its key is the same task. */
  function createOnce(script: ScriptedTask, owner: string, key: unknown): ScriptRun {
    const known = key === undefined ? undefined : byKey.get(ownKey(owner, key))
    const run = known === undefined || known.isExpired() ? create(script, owner) : known
    if (key !== undefined) byKey.set(ownKey(owner, key), run)
    return run
  }

  /** Returns the run of a task; with `owner`, only if the task belongs to that owner. */
  function runOf(taskId: unknown, owner?: string): ScriptRun | undefined {
    const known = typeof taskId === 'string' ? runs.get(taskId) : undefined
    const isOfOther = owner !== undefined && known?.owner !== owner
    return isOfOther || known?.run.isExpired() ? undefined : known?.run
  }

  /** Subscribers receive the state of a task, and its script continues while there are subscribers. */
  function notify(taskId: string): TaskRecord | undefined {
    clock.clearTimeout(timers.get(taskId))
    const run = runOf(taskId)
    if (run === undefined || !new Set(feed.followed()).has(taskId)) return undefined
    const record = run.show()
    feed.publish(record)
    const dueAt = run.dueAt()
    if (dueAt === undefined) return record
    const goOn = () => (clock.now() < dueAt ? notify(taskId) : run.goOn())
    timers.set(taskId, clock.setTimeout(goOn, Math.min(Math.max(0, dueAt - clock.now()), MAX_TIMER_MS)))
    return record
  }

  const source: Parameters<typeof followTasks>[2] = {
    follow(taskIds, follower) {
      const unfollow = feed.follow(taskIds, follower)
      return () => {
        unfollow()
        for (const taskId of taskIds) notify(taskId)
      }
    },
    read: async (taskId) => notify(taskId),
  }

  return {
    isAbout(body) {
      if (isClosed || !isJsonObject(body)) return false
      const { name, taskId } = requestParams(body)
      if (body['method'] === 'tools/call') return scriptOf(name) !== undefined
      return [taskId, ...wantedTasks(body)].some((id) => runOf(id) !== undefined)
    },
    answer(body, owner) {
      if (isClosed || !isJsonObject(body)) return undefined
      const { name, taskId, inputResponses, _meta } = requestParams(body)
      if (!isJsonObject(_meta) || !supportsTasks(_meta[CLIENT_CAPABILITIES_META])) return undefined
      if (body['method'] === 'tools/call') {
        const script = scriptOf(name)
        if (script === undefined) return undefined
        const { created } = createOnce(script, owner, _meta[IDEMPOTENCY_KEY_META])
        return resultResponse(body, { resultType: 'task', ...withWireProgress(created) })
      }
      const run = runOf(taskId, owner)
      if (run === undefined) return undefined
      switch (body['method']) {
        case 'tasks/get':
          return resultResponse(body, { resultType: 'complete', ...withWireProgress(run.poll()) })
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
    async push({ signal }, body, owner, response) {
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      if (!isStream || response.body === null || !isJsonObject(body)) return response
      const taskIds = wantedTasks(body).filter((taskId) => runOf(taskId, owner) !== undefined)
      if (taskIds.length === 0) return response
      const updates = await followTasks(taskIds, '', source)
      const subscription = { base: response.body, subscriptionId: body['id'], updates, capabilities: EVERY_KIND }
      const stream = createTaskStream({ ...subscription, clock, signal })
      return new Response(stream, response)
    },
    close() {
      isClosed = true
      feed.close()
    },
  }
}

const ownKey = (owner: string, key: unknown): string => JSON.stringify([owner, key])

/** A script may ask for what its client has not declared to give, as servers do that break the rules. */
const EVERY_KIND = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

/** The tasks that a `subscriptions/listen` names. */
function wantedTasks(body: JsonObject): readonly string[] {
  const { notifications } = body['method'] === 'subscriptions/listen' ? requestParams(body) : {}
  const taskIds = isJsonObject(notifications) ? notifications['taskIds'] : undefined
  return Array.isArray(taskIds) ? [...new Set(taskIds.filter((taskId) => typeof taskId === 'string'))] : []
}
