// In development alone: `createTaskClient` calls these by `inDevelopment`, and production builds leave them out.
import { TaskConfigurationError } from '../protocol/errors.js'
import { checkNames, type OptionNames } from './checkNames.js'
import { mustBe, shown } from './mustBe.js'
import type { TaskClientBaseOptions, ToolCallOptions, ToolCallParams } from './taskClient.js'

/** What an option may be: of a type, one of these values, or what something else checks. */
type Kind = 'string' | 'function' | 'jobs' | 'signal' | 'checked elsewhere' | readonly (string | boolean)[]

/** Options by their path: what is in a group stands behind its name and a dot. */
export type OptionKinds = Readonly<Record<string, Kind>>

const OTHER = 'checked elsewhere'

/** The options of every client. `options.ts` checks the numbers and the storage, in production, too. */
const OPTIONS: OptionKinds = {
  storage: OTHER,
  results: 'function',
  scope: 'string',
  endpoint: 'string',
  poll: OTHER,
  'poll.defaultIntervalMs': OTHER,
  'poll.minIntervalMs': OTHER,
  'poll.safetyIntervalMs': OTHER,
  'poll.hidden': ['continue', 'pause'],
  'poll.maxConcurrent': OTHER,
  callTimeoutMs: OTHER,
  retry: OTHER,
  'retry.baseMs': OTHER,
  'retry.maxMs': OTHER,
  'retry.maxAttempts': OTHER,
  'retry.connectAttempts': OTHER,
  push: [true, false],
  input: OTHER,
  'input.handlers': OTHER,
  'input.handlers.elicitation': 'function',
  'input.handlers.sampling': 'function',
  'input.handlers.roots': 'function',
  'input.missing': ['wait', 'error'],
  'input.stuckAfterPolls': OTHER,
  crossTab: [true, false],
  batchUpdates: [true, false],
  resume: ['eager', 'lazy'],
  onError: 'function',
  toolsHash: 'string',
  jobs: 'jobs',
  environment: OTHER,
}

/**
 * Refuses options that do not exist, and groups of options that are no objects. `own` are those that other clients do not have.
 *
 * @throws {TaskConfigurationError} that names the known option with the nearest name.
 */
export function checkOptionNames(options: TaskClientBaseOptions, own: OptionKinds): void {
  const names: Record<string, string[]> & OptionNames = { '': [] }
  for (const path of Object.keys({ ...own, ...OPTIONS })) {
    const at = path.lastIndexOf('.')
    const group = names[path.slice(0, Math.max(at, 0))] ?? []
    group.push(path.slice(at + 1))
    names[path.slice(0, Math.max(at, 0))] = group
  }
  checkNames(options, names)
  checkOptions(options, own)
}

/**
 * Refuses options among the params of a call, and options that there are not.
 *
 * @throws {TaskConfigurationError} that says where the option stands, or names the known one with the nearest name.
 */
export function checkCall(params: ToolCallParams, options: ToolCallOptions): void {
  const unknown = Object.keys(Object(params)).find((name) => name !== 'name' && name !== 'arguments')
  if (unknown !== undefined) {
    throw new TaskConfigurationError(
      `The params of a call are name and arguments; there is no ${unknown}. Options stand beside them: callTool({ name, arguments }, { key }).`,
    )
  }
  checkNames(options, { '': Object.keys(OF_CALL) })
  checkOptions(options, OF_CALL)
}

/** The options of a call. `checkParams.ts` checks what it notes and keeps, in production, too. */
const OF_CALL: OptionKinds = {
  signal: 'signal',
  key: 'string',
  repeat: ['never', 'settled', 'always'],
  meta: OTHER,
  keepResult: OTHER,
}

/**
 * Checks the options that are used as they are.
 *
 * @throws {TaskConfigurationError} for the first that is not an allowed value.
 */
export function checkOptions(options: object, kinds: OptionKinds = OPTIONS): void {
  for (const [path, kind] of Object.entries(kinds)) {
    const value = path.split('.').reduce<unknown>((group, name) => Object(group)[name], options)
    if (value === undefined || isOfKind(value, kind)) continue
    throw mustBe(path, value, wordsOf(kind))
  }
}

function isOfKind(value: unknown, kind: Kind): boolean {
  if (typeof kind !== 'string') return (kind as readonly unknown[]).includes(value)
  if (kind === 'jobs') return Array.isArray(value) && value.every((job) => typeof job?.isInternal === 'function')
  // `null` means no signal, as it does for fetch.
  if (kind === 'signal') return value === null || typeof Object(value).aborted === 'boolean'
  return kind === OTHER || typeof value === kind
}

function wordsOf(kind: Kind): string {
  if (kind === 'jobs') return 'a list of what defineJob of taskwire/jobs returns'
  if (kind === 'signal') return 'an AbortSignal'
  return typeof kind === 'string' ? `a ${kind}` : `${kind.slice(0, -1).map(shown).join(', ')} or ${shown(kind.at(-1))}`
}
