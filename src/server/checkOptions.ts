import { TaskConfigurationError } from '../core/protocol/errors.js'
import type { TaskWorkerOptions } from './createTaskWorker.js'
import type { TaskServerOptions } from './taskServerOptions.js'
import { isLeased } from './tasks/leases.js'
import type { ToolDefinition } from './tools/defineTool.js'

/** What is wrong with a value, to be put behind the name of its option; undefined where nothing is. */
type Check = (value: unknown) => string | undefined

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const hasMethods = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => typeof value[name] === 'function')

const aFunction: Check = (value) => (typeof value === 'function' ? undefined : `is ${shown(value)}. Pass a function.`)
const aBoolean: Check = (value) => (typeof value === 'boolean' ? undefined : `is ${shown(value)}. Pass true or false.`)
const anObject: Check = (value) => (isObject(value) ? undefined : `is ${shown(value)}. Pass an object.`)
const aText: Check = (value) => (typeof value === 'string' ? undefined : `is ${shown(value)}. Pass a text.`)
const aPositive: Check = (value) => positive(value)
const aTtl: Check = (value) => (value === null ? undefined : positive(value, ', or null for no limit'))
const anInterval: Check = (value) => (typeof value === 'function' ? undefined : positive(value))
const aSchema: Check = (value) =>
  isObject(value) && value['~standard'] !== undefined
    ? undefined
    : 'is not a Standard Schema. Pass one such as z.object({}) of zod 4.'
const oneOf =
  (...choices: readonly string[]): Check =>
  (value) => {
    const names = choices.map((choice) => `'${choice}'`)
    const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
    return choices.some((choice) => choice === value) ? undefined : `is ${shown(value)}. Pass ${list}.`
  }

const STORE_METHODS = ['create', 'get', 'transition', 'expire', 'remove']
const aStore: Check = (value) => {
  if (hasMethods(value, STORE_METHODS)) return undefined
  const hint = hasMethods(value, ['query', 'connect'])
    ? 'a Pool of pg. Pass postgresTaskStore({ pool }) of taskwire/server/postgres.'
    : hasMethods(value, ['hget', 'eval'])
      ? 'a client of Redis. Pass redisTaskStore({ redis }) of taskwire/server/redis.'
      : `no TaskStore, which has ${STORE_METHODS.join(', ')}. Pass redisTaskStore(), postgresTaskStore() or your own.`
  return `is ${hint}`
}
const anExecutor: Check = (value) =>
  hasMethods(value, ['start'])
    ? undefined
    : 'has no start(). Pass bullmqQueue() of taskwire/server/bullmq, or your own.'
const aQueue: Check = (value) =>
  hasMethods(value, ['start', 'work'])
    ? undefined
    : 'has no start() and work(). Pass the queue that the server has as its `executor`, such as bullmqQueue().'
const aClock: Check = (value) =>
  hasMethods(value, ['now', 'setTimeout', 'clearTimeout'])
    ? undefined
    : 'has no now(), setTimeout() and clearTimeout(). Leave it out, except in tests.'
const cors: Check = (value) => {
  if (typeof value === 'boolean') return undefined
  const { origin, ...others } = isObject(value) ? value : {}
  const isList = typeof origin === 'string' || (Array.isArray(origin) && origin.every((one) => typeof one === 'string'))
  if (isList && Object.keys(others).length === 0) return undefined
  return `is ${shown(value)}. Pass true, false or { origin: ['https://app.example'] }.`
}
const resultTool: Check = (value) => {
  const { afterMs, name = '', ...others } = isObject(value) ? value : {}
  const isRight = positive(afterMs) === undefined && typeof name === 'string' && Object.keys(others).length === 0
  return isRight
    ? undefined
    : `is ${shown(value)}. Pass { afterMs: 30_000 }, with a \`name\` if it should not be get_result.`
}
const aServerInfo: Check = (value) =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'
    ? undefined
    : 'has no name or no version. Pass { name, version }.'
const anInstrument: Check = (value) =>
  hasMethods(value, ['runTool']) ? undefined : 'cannot run tools. Pass instrumentTaskServer() of taskwire/otel.'
const LEVELS = ['error', 'warn', 'info', 'debug']
const aLogger: Check = (value) =>
  hasMethods(value, LEVELS)
    ? undefined
    : `lacks one of ${LEVELS.join(', ')}. Pass one that has them all, such as console.`
const tools: Check = (value) =>
  Array.isArray(value) || typeof value === 'function'
    ? undefined
    : 'is not an array. Pass the tools made with defineTool(), or a function that returns those of an owner.'

const SERVER_OPTIONS: Record<keyof TaskServerOptions, Check> = {
  serverInfo: aServerInfo,
  tools,
  store: aStore,
  executor: anExecutor,
  leaseMs: aPositive,
  seal: aFunction,
  open: aFunction,
  maxRunning: aPositive,
  clock: aClock,
  defaultTtlMs: aTtl,
  maxTtlMs: aPositive,
  pollIntervalMs: anInterval,
  augment: aFunction,
  authenticate: aFunction,
  owner: aFunction,
  idempotentCalls: aBoolean,
  push: aBoolean,
  maxTasksPerOwner: aPositive,
  maxTasks: aPositive,
  maxEndedTasksPerOwner: aPositive,
  maxEndedTasks: aPositive,
  maxStreamsPerOwner: aPositive,
  maxStreams: aPositive,
  maxRequestBodySize: aPositive,
  maxResultSize: aPositive,
  cors,
  resultTool,
  instrument: anInstrument,
  keepFailedMs: aPositive,
  logger: aLogger,
  onError: aFunction,
  serverOptions: anObject,
  setup: aFunction,
}

const { serverInfo, store, clock, leaseMs, seal, open, onError, instrument, logger, serverOptions, setup } =
  SERVER_OPTIONS
const { maxEndedTasks, maxEndedTasksPerOwner, maxResultSize } = SERVER_OPTIONS

const WORKER_OPTIONS: Record<keyof TaskWorkerOptions, Check> = {
  ...{ serverInfo, tools, store, clock, leaseMs, seal, open, onError, instrument, logger, serverOptions, setup },
  ...{ maxEndedTasks, maxEndedTasksPerOwner, maxResultSize },
  queue: aQueue,
  concurrency: aPositive,
}

const TOOL_OPTIONS: Record<keyof ToolDefinition, Check> = {
  name: aText,
  title: aText,
  description: aText,
  inputSchema: aSchema,
  outputSchema: aSchema,
  annotations: anObject,
  icons: anObject,
  _meta: anObject,
  taskSupport: oneOf('forbidden', 'optional', 'required'),
  ttlMs: aTtl,
  pollIntervalMs: aPositive,
  onOrphan: oneOf('fail', 'retry'),
  prepare: aFunction,
  handler: (value) => (typeof value === 'function' ? undefined : 'is not a function. Pass one that does the work.'),
}

/**
 * Checks the options of a server.
 *
 * @throws {TaskConfigurationError} that names the option that cannot be used.
 */
export function checkServerOptions(options: TaskServerOptions): void {
  checkAll('Failed to create the task server: ', options, SERVER_OPTIONS, ['serverInfo', 'tools'])
  if (typeof options.tools !== 'function') checkTools(options.tools)
}

/** Lists that were found to be good: a function returns the same one for each request. */
const goodTools = new WeakSet<readonly ToolDefinition[]>()

/**
 * What the option `tools` returned.
 *
 * @throws {TaskConfigurationError} if it is not a list of tools.
 */
export function checkedTools(given: readonly ToolDefinition[]): readonly ToolDefinition[] {
  if (goodTools.has(given)) return given
  if (!Array.isArray(given)) fail('`tools` returned no array. Return the tools made with defineTool().')
  checkTools(given)
  goodTools.add(given)
  return given
}

/**
 * Checks the options of a worker.
 *
 * @throws {TaskConfigurationError} that names the option that cannot be used.
 */
export function checkWorkerOptions(options: TaskWorkerOptions): void {
  const required = ['serverInfo', 'tools', 'store', 'queue']
  checkAll(FAILED_WORKER, options, WORKER_OPTIONS, required)
  if (isLeased(options.store)) return
  fail('the `store` cannot find work that was lost. Pass one that is shared and has `lapsed`.', FAILED_WORKER)
}

/** What MCP says of names of tools (2026-07-28, "Tools: Tool Names"). The SDK would warn of any other with every request. */
const PLAIN_NAME = /^\w([\w.-]{0,126}\w)?$/

/** True for a name that clients and models take. */
export const hasPlainName = (name: string): boolean => PLAIN_NAME.test(name)

function checkTools(all: readonly ToolDefinition[]): void {
  const names = new Set<string>()
  for (const tool of all) {
    const name = isObject(tool) ? tool.name : undefined
    if (typeof name !== 'string' || name === '') fail('a tool has no `name`. Give every tool a name of its own.')
    if (!hasPlainName(name)) {
      fail(
        `a tool is named ${JSON.stringify(name)}, which clients and models refuse. ` +
          'Use 1 to 128 letters of ASCII, digits, underscores, dashes and dots, with no dash or dot at the ends.',
      )
    }
    if (names.has(name)) fail(`two tools are named "${name}". Give every tool a name of its own.`)
    names.add(name)
    checkAll(FAILED, tool, TOOL_OPTIONS, ['inputSchema', 'taskSupport', 'handler'], ` of the tool "${name}"`)
  }
}

function checkAll(
  failed: string,
  options: object | undefined,
  checks: Readonly<Record<string, Check>>,
  required: readonly string[],
  of = '',
): void {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined)
  const unknown = given.find(([name]) => !Object.hasOwn(checks, name))
  if (unknown !== undefined) {
    fail(`there is no option \`${unknown[0]}\`${of}. The options are ${Object.keys(checks).join(', ')}.`, failed)
  }
  const missing = required.filter((name) => given.every(([each]) => each !== name))
  for (const [name, value] of [...given, ...missing.map((each): [string, unknown] => [each, undefined])]) {
    const problem = checks[name]?.(value)
    if (problem !== undefined) fail(`\`${name}\`${of} ${problem}`, failed)
  }
}

function positive(value: unknown, alternative = ''): string | undefined {
  if (Number.isSafeInteger(value) && Number(value) > 0) return undefined
  return `is ${shown(value)}. Pass a whole number above 0${alternative}.`
}

function shown(value: unknown): string {
  if (!isObject(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value)
  return Array.isArray(value) ? 'a list' : `{ ${Object.keys(value).join(', ')} }`.replace('{  }', '{}')
}

const FAILED = 'Failed to create the task server: '
const FAILED_WORKER = 'Failed to create the task worker: '

/** Refuses a set-up. */
export function fail(problem: string, failed: string = FAILED): never {
  throw new TaskConfigurationError(`${failed}${problem}`)
}
