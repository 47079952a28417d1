import { DEFAULT_MAX_REQUEST_BODY_SIZE } from '@modelcontextprotocol/server'
import { TASKS_EXTENSION } from '../core/protocol/extension.js'
import { type Clock, systemClock } from './base/clock.js'
import { checkedTools, checkServerOptions, fail } from './checkOptions.js'
import type { TaskServerOptions } from './taskServerOptions.js'
import { InMemoryTaskStore } from './tasks/inMemoryTaskStore.js'
import { isLeased } from './tasks/leases.js'
import { sealedStore } from './tasks/sealedStore.js'
import type { TaskStore } from './tasks/taskStore.js'
import { createWaitingJobs, type WaitingJobs } from './tasks/waitingJobs.js'
import type { ToolDefinition } from './tools/defineTool.js'
import { createSlots, type Slots } from './tools/slots.js'

/** The options of a server, checked and complete. */
export interface ServerConfig extends Omit<TaskServerOptions, 'pollIntervalMs' | 'maxEndedTasksPerOwner'> {
  readonly store: TaskStore
  readonly clock: Clock
  /** How often tasks are read again that another process may change, in ms. */
  readonly pollIntervalMs: number
  /**
   * The tools of an owner.
   *
   * @throws {TaskConfigurationError} if the option is a function that returns something else.
   */
  toolsOf(owner: string): readonly ToolDefinition[]
  /** How long clients of a task of this tool are asked to wait, as things stand, in ms. */
  pollIntervalOf(tool: Pick<ToolDefinition, 'pollIntervalMs'> | undefined): number
  readonly leaseMs: number
  readonly slots: Slots
  /** Those of the executor. */
  readonly waitingJobs: WaitingJobs
  /** Whether lost work may run again automatically. */
  isRetried(tool: ToolDefinition): boolean
  readonly push: boolean
  /** How long a task that has failed and can be run again is kept at least, in ms. */
  readonly keepFailedMs: number
  readonly maxTasksPerOwner: number
  readonly maxTasks: number
  readonly maxEndedTasks: number
  /** How many ended tasks of this owner are kept. */
  maxEndedTasksOf(owner: string): number
  readonly maxStreamsPerOwner: number
  readonly maxStreams: number
  readonly maxRequestBodySize: number
  readonly maxResultSize: number
  /** How long tasks of a tool are kept. */
  ttlOf(tool: ToolDefinition): number | null
}

const ONE_HOUR_MS = 3_600_000
const ONE_DAY_MS = 24 * ONE_HOUR_MS
const DEFAULT_POLL_INTERVAL_MS = 1000
const DEFAULT_MAX_RESULT_SIZE = 4 * 1024 * 1024

/**
 * Checks options and fills in defaults.
 *
 * @throws {TaskConfigurationError} that names the option that cannot be used.
 */
export function createServerConfig(options: TaskServerOptions): ServerConfig {
  checkServerOptions(options)
  const { defaultTtlMs = ONE_HOUR_MS, maxTtlMs, maxTasksPerOwner = 1000, leaseMs = 30_000, maxRunning } = options
  const { keepFailedMs = ONE_DAY_MS } = options
  const { pollIntervalMs: interval = DEFAULT_POLL_INTERVAL_MS } = options
  const pollIntervalMs = typeof interval === 'number' ? interval : DEFAULT_POLL_INTERVAL_MS
  const slots = createSlots(maxRunning ?? Number.POSITIVE_INFINITY)
  const { clock = systemClock } = options
  const waitingJobs = createWaitingJobs(options.executor, clock)
  const load = () => ({ running: slots.running, waiting: slots.waiting + (waitingJobs.latest()?.count ?? 0) })
  const { maxRequestBodySize = DEFAULT_MAX_REQUEST_BODY_SIZE, maxResultSize = DEFAULT_MAX_RESULT_SIZE } = options
  const { maxTasks = 10_000, maxEndedTasks = 10_000, maxStreams = 10_000 } = options
  // Without names everybody is the same owner.
  const hasOwners = options.owner !== undefined || options.authenticate !== undefined
  const { maxStreamsPerOwner = hasOwners ? Math.min(64, maxStreams) : maxStreams } = options
  if (options.serverOptions?.capabilities?.extensions?.[TASKS_EXTENSION] !== undefined) {
    fail(
      `\`serverOptions.capabilities\` declares ${TASKS_EXTENSION}. Leave it out: this server declares and serves it.`,
    )
  }
  const { seal, open, tools, store = new InMemoryTaskStore() } = options
  if ((seal === undefined) !== (open === undefined)) {
    fail(
      'only one of `seal` and `open` is given. Pass both to every server and worker, since each of them reads tasks of the others.',
    )
  }
  if (options.executor !== undefined && !isLeased(options.store ?? {})) {
    fail(
      'there is an `executor`, and the store cannot find work that was lost. Pass a shared `store` that has `lapsed`.',
    )
  }
  return {
    ...options,
    store: seal && open ? sealedStore(store, { seal, open }) : store,
    clock,
    pollIntervalMs,
    toolsOf: typeof tools === 'function' ? (owner) => checkedTools(tools(owner)) : () => tools,
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
    keepFailedMs,
    maxTasksPerOwner,
    maxTasks,
    maxEndedTasks,
    // A worker does not name the owners of its tasks, and finds their names in the tasks.
    maxEndedTasksOf: (owner) => options.maxEndedTasksPerOwner ?? (owner === '' ? maxEndedTasks : 1000),
    maxStreamsPerOwner,
    maxStreams,
    maxRequestBodySize,
    maxResultSize,
    ttlOf({ ttlMs = defaultTtlMs }) {
      if (maxTtlMs === undefined) return ttlMs
      return ttlMs === null ? maxTtlMs : Math.min(ttlMs, maxTtlMs)
    },
  }
}
