import { DEFAULT_MAX_REQUEST_BODY_SIZE } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../protocol/errors.js'
import { TASKS_EXTENSION } from '../protocol/extension.js'
import { type Clock, systemClock } from './base/clock.js'
import type { TaskServerOptions } from './taskServerOptions.js'
import { InMemoryTaskStore } from './tasks/inMemoryTaskStore.js'
import { isLeased } from './tasks/leases.js'
import type { TaskStore } from './tasks/taskStore.js'
import { createWaitingJobs, type WaitingJobs } from './tasks/waitingJobs.js'
import type { ToolDefinition } from './tools/defineTool.js'
import { createSlots, type Slots } from './tools/slots.js'

/** The options of a server, checked and complete. */
export interface ServerConfig extends Omit<TaskServerOptions, 'pollIntervalMs'> {
  readonly store: TaskStore
  readonly clock: Clock
  /** How often tasks are read again that another process may change, in ms. */
  readonly pollIntervalMs: number
  /** How long clients of a task of this tool are asked to wait, as things stand, in ms. */
  pollIntervalOf(tool: ToolDefinition | undefined): number
  readonly leaseMs: number
  readonly slots: Slots
  /** Those of the executor. */
  readonly waitingJobs: WaitingJobs
  /** Whether work that was lost may be done again by itself. */
  isRetried(tool: ToolDefinition): boolean
  readonly push: boolean
  readonly maxTasksPerOwner: number
  readonly maxTasks: number
  readonly maxEndedTasksPerOwner: number
  readonly maxEndedTasks: number
  readonly maxStreamsPerOwner: number
  readonly maxStreams: number
  readonly maxRequestBodySize: number
  /** How long tasks of a tool are kept. */
  ttlOf(tool: ToolDefinition): number | null
}

const ONE_HOUR_MS = 3_600_000
const DEFAULT_POLL_INTERVAL_MS = 1000

/**
 * Checks options and fills in defaults.
 *
 * @throws {TaskConfigurationError} naming the option that cannot be used.
 */
export function createServerConfig(options: TaskServerOptions): ServerConfig {
  const { defaultTtlMs = ONE_HOUR_MS, maxTtlMs, maxTasksPerOwner = 1000, leaseMs = 30_000, maxRunning } = options
  const { pollIntervalMs: interval = DEFAULT_POLL_INTERVAL_MS } = options
  const pollIntervalMs = typeof interval === 'number' ? interval : DEFAULT_POLL_INTERVAL_MS
  const slots = createSlots(maxRunning ?? Number.POSITIVE_INFINITY)
  const { clock = systemClock } = options
  const waitingJobs = createWaitingJobs(options.executor, clock)
  const load = () => ({ running: slots.running, waiting: slots.waiting + (waitingJobs.latest()?.count ?? 0) })
  const { maxRequestBodySize = DEFAULT_MAX_REQUEST_BODY_SIZE } = options
  const { maxTasks = 10_000, maxEndedTasks = 10_000, maxStreams = 10_000 } = options
  // Without names everybody is the same owner.
  const hasOwners = options.owner !== undefined || options.authenticate !== undefined
  const perOwner = (limit: number, inAll: number) => (hasOwners ? Math.min(limit, inAll) : inAll)
  const { maxEndedTasksPerOwner = perOwner(1000, maxEndedTasks) } = options
  const { maxStreamsPerOwner = perOwner(64, maxStreams) } = options
  const { serverInfo } = options
  if (typeof serverInfo?.name !== 'string' || typeof serverInfo.version !== 'string') {
    fail('`serverInfo` has no name or no version. Pass { name, version }.')
  }
  if (options.serverOptions?.capabilities?.extensions?.[TASKS_EXTENSION] !== undefined) {
    fail(
      `\`serverOptions.capabilities\` declares ${TASKS_EXTENSION}. Leave it out: this server declares and serves it.`,
    )
  }
  checkTools(options.tools)
  checkTtl('`defaultTtlMs`', defaultTtlMs)
  checkPositive('`maxTtlMs`', maxTtlMs)
  checkPositive('`pollIntervalMs`', pollIntervalMs)
  checkPositive('`leaseMs`', leaseMs)
  checkPositive('`maxRunning`', maxRunning)
  if (options.instrument !== undefined && typeof options.instrument.runTool !== 'function') {
    fail('`instrument` cannot run tools. Pass instrumentTaskServer() of taskwire/otel.')
  }
  if (options.executor !== undefined && !isLeased(options.store ?? {})) {
    fail(
      'there is an `executor`, and the store cannot find work that was lost. Pass a shared `store` that has `lapsed`.',
    )
  }
  checkPositive('`maxTasksPerOwner`', maxTasksPerOwner)
  checkPositive('`maxTasks`', maxTasks)
  checkPositive('`maxEndedTasksPerOwner`', maxEndedTasksPerOwner)
  checkPositive('`maxEndedTasks`', maxEndedTasks)
  checkPositive('`maxStreamsPerOwner`', maxStreamsPerOwner)
  checkPositive('`maxStreams`', maxStreams)
  checkPositive('`maxRequestBodySize`', maxRequestBodySize)
  return {
    ...options,
    store: options.store ?? new InMemoryTaskStore(),
    clock,
    pollIntervalMs,
    pollIntervalOf(tool) {
      if (tool?.pollIntervalMs !== undefined) return tool.pollIntervalMs
      const asked = typeof interval === 'number' ? interval : interval(load())
      return Number.isSafeInteger(asked) && asked > 0 ? asked : DEFAULT_POLL_INTERVAL_MS
    },
    leaseMs,
    slots,
    waitingJobs,
    isRetried: ({ onOrphan, annotations }) =>
      (onOrphan ?? (annotations?.readOnlyHint || annotations?.idempotentHint ? 'retry' : 'fail')) === 'retry',
    push: options.push ?? true,
    maxTasksPerOwner,
    maxTasks,
    maxEndedTasksPerOwner,
    maxEndedTasks,
    maxStreamsPerOwner,
    maxStreams,
    maxRequestBodySize,
    ttlOf({ ttlMs = defaultTtlMs }) {
      if (maxTtlMs === undefined) return ttlMs
      return ttlMs === null ? maxTtlMs : Math.min(ttlMs, maxTtlMs)
    },
  }
}

/** What MCP says of names of tools (2026-07-28, "Tools: Tool Names"). The SDK would warn of any other with every request. */
const PLAIN_NAME = /^\w([\w.-]{0,126}\w)?$/

function checkTools(tools: unknown): void {
  if (!Array.isArray(tools)) fail('`tools` is not an array. Pass the tools made with defineTool().')
  const names = new Set<string>()
  for (const tool of tools as readonly Partial<ToolDefinition>[]) {
    const { name, inputSchema, taskSupport, handler, ttlMs, pollIntervalMs } = tool ?? {}
    if (typeof name !== 'string' || name === '') fail('a tool has no `name`. Give every tool a name of its own.')
    if (!PLAIN_NAME.test(name)) {
      fail(
        `a tool is named ${JSON.stringify(name)}, which clients and models refuse. ` +
          'Use 1 to 128 letters of ASCII, digits, underscores, dashes and dots, with no dash or dot at the ends.',
      )
    }
    if (names.has(name)) fail(`two tools are named "${name}". Give every tool a name of its own.`)
    names.add(name)
    const of = (option: string) => `\`${option}\` of the tool "${name}"`
    if (inputSchema?.['~standard'] === undefined) {
      fail(`${of('inputSchema')} is not a Standard Schema. Pass one such as z.object({}) of zod 4.`)
    }
    if (taskSupport !== 'forbidden' && taskSupport !== 'optional' && taskSupport !== 'required') {
      fail(`${of('taskSupport')} is ${String(taskSupport)}. Pass 'forbidden', 'optional' or 'required'.`)
    }
    if (typeof handler !== 'function') fail(`${of('handler')} is not a function. Pass what does the work.`)
    checkTtl(of('ttlMs'), ttlMs)
    checkPositive(of('pollIntervalMs'), pollIntervalMs)
  }
}

function checkTtl(option: string, value: unknown): void {
  if (value !== null) checkPositive(option, value, ', or null for no limit')
}

function checkPositive(option: string, value: unknown, alternative = ''): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) return
  fail(`${option} is ${String(value)}. Pass a whole number above 0${alternative}.`)
}

function fail(problem: string): never {
  throw new TaskConfigurationError(`Failed to create the task server: ${problem}`)
}
