import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../core/protocol/errors.js'
import { createServerLog } from './base/logger.js'
import { nextMacrotask } from './base/nextMacrotask.js'
import type { NotifyServer, TaskServerGauges } from './base/taskServerEvents.js'
import { checkHealth, type TaskHealth } from './health.js'
import { Exchange } from './http/exchange.js'
import { capabilitiesIn } from './http/tasksCapability.js'
import type { ServerConfig } from './serverConfig.js'
import type { ServerParts } from './serverParts.js'
import type { TaskExecutor, TaskJob } from './tasks/executor.js'
import { createMeasuredStore } from './tasks/measuredStore.js'
import { createTaskOperator, type TaskOperator } from './tasks/taskOperator.js'
import type { TaskRecord } from './tasks/taskRecord.js'
import { createTaskRuntime } from './tasks/taskRuntime.js'
import { parseCallRecord } from './tools/callRecord.js'
import { finishExchange } from './tools/finishExchange.js'
import { withoutOwnState } from './tools/laterAnswer.js'
import { createServerFactory } from './tools/serverFactory.js'

/** What a server and a worker have in common: tools, tasks and the SDK's checks. */
export interface ServerCore {
  readonly parts: ServerParts
  readonly mcp: McpHttpHandler
  /** Has the SDK answer a request of a client or of a job, and lets what comes of it be the outcome of its task. */
  serve(exchange: Exchange): Promise<Response>
  /** Does the work of a job, if it is there to be done. Never rejects. */
  runJob(job: TaskJob): Promise<void>
  /** What operators can do with the tasks of the store. */
  readonly operator: TaskOperator
  health(): Promise<TaskHealth>
  /** From now on it is not ready. */
  beginClosing(): void
  close(drainMs?: number): Promise<void>
}

/** The tool of a task. */
type ToolOfOwner = Pick<TaskRecord, 'tool' | 'owner'>

/** The inside of a server or a worker. */
export function createServerCore(config: ServerConfig, openStreams: () => number): ServerCore {
  const { maxRequestBodySize, tools, instrument, clock, slots, waitingJobs } = config
  const log = createServerLog(config.logger, config.onError)
  const report = log.error
  const notify: NotifyServer = (event) => {
    instrument?.record?.(event)
    log.event(event)
  }
  const store = instrument?.record ? createMeasuredStore(config.store, clock, notify) : config.store
  let isClosing = false
  const toolOf = ({ tool, owner }: ToolOfOwner) => config.toolsOf(owner).find(({ name }) => name === tool)
  const here: TaskExecutor = { start: async (job) => void runJob(job) }
  const executor = config.executor ?? here
  const runtime = createTaskRuntime({
    ...config,
    store,
    report,
    notify,
    executor,
    mayRetry(record) {
      const tool = toolOf(record)
      return tool && record.call !== undefined && config.isRetried(tool)
    },
  })
  const parts: ServerParts = { config, runtime, report, notify }
  const exchanges = new WeakMap<Request, Exchange>()
  const mcp = createMcpHandler(
    createServerFactory(parts, (request) => exchanges.get(request)),
    {
      maxRequestBodySize,
      // Streams are counted by owner, see `listenToTasks`.
      maxSubscriptions: Number.POSITIVE_INFINITY,
      onerror: (error) => report(error, { source: 'request' }),
    },
  )

  async function serve(exchange: Exchange): Promise<Response> {
    // For a task, that takes as long as its work: nothing else is kept here meanwhile.
    const response = await send(exchange)
    return finishExchange(exchange, response, parts)
  }

  function send(exchange: Exchange): Promise<Response> {
    const { request, body, authInfo, signal } = exchange
    const inner = new Request(request.url, { method: 'POST', headers: request.headers, signal })
    exchanges.set(inner, exchange)
    return mcp.fetch(inner, { ...(authInfo !== undefined && { authInfo }), parsedBody: withoutOwnState(body) })
  }

  /** Where tools differ by owner, the record says whose job it is; of a task that is gone, nothing is to be done. */
  async function isKnown({ taskId, tool }: TaskJob): Promise<boolean> {
    if (typeof tools !== 'function') return tools.some(({ name }) => name === tool)
    const record = await runtime.find(taskId)
    return record === undefined || toolOf(record) !== undefined
  }

  async function runJob(job: TaskJob): Promise<void> {
    try {
      if (!(await isKnown(job))) {
        report(isUnknownHere(job.tool), { source: 'server', tool: job.tool })
        return await runtime.giveBack(job)
      }
      const callOf = ({ call = '' }: TaskRecord) => parseCallRecord(call)
      const claimed = await runtime.claim(job, async (record) => capabilitiesIn(callOf(record).body['params']))
      if (claimed === undefined) return
      const { body, headers, authInfo } = callOf(claimed.record)
      const request = new Request(JOB_URL, { headers: { ...JOB_HEADERS, ...headers } })
      const exchange = new Exchange({ request, body, authInfo, isLegacy: false, claimed })
      await (await serve(exchange)).body?.cancel()
    } catch (error) {
      report(error, { source: 'server', tool: job.tool })
    }
  }

  /** How a task of a tool is kept; undefined for a tool that is not known here. */
  function termsOf(record: ToolOfOwner) {
    const tool = toolOf(record)
    return (
      tool && {
        ttlMs: config.ttlOf(tool),
        pollIntervalMs: config.pollIntervalOf(tool),
        keepFailedMs: config.keepFailedMs,
      }
    )
  }

  const gauges = (): TaskServerGauges => ({
    running: runtime.running,
    waiting: slots.waiting + (waitingJobs.latest()?.count ?? 0),
    openStreams: openStreams(),
  })
  const stopObserving = instrument?.observe?.(gauges)

  return {
    parts,
    mcp,
    serve,
    runJob,
    operator: createTaskOperator({ store, runtime, clock, executor, termsOf }),
    health: () =>
      checkHealth({
        ...config,
        lastRenewalAt: runtime.lastRenewalAt,
        isClosing: () => isClosing,
      }),
    beginClosing() {
      isClosing = true
    },
    async close(drainMs) {
      isClosing = true
      stopObserving?.()
      await runtime.close(drainMs)
      // Requests that waited for a task are answered before the SDK ends them.
      await nextMacrotask()
      await mcp.close()
    },
  }
}

function isUnknownHere(tool: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to run a job: this worker has no tool "${tool}". The job goes back to the queue for another one. ` +
      'Pass the tools of the server, and deploy workers before servers.',
  )
}

/** It is never seen: the request of a job stays in its process. */
const JOB_URL = 'http://worker.invalid/mcp'
const JOB_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
