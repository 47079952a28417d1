import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { answeredFetch } from '../connection/answeredFetch.js'
import { withRetryAfter } from '../connection/retryAfter.js'
import { routeQuestions } from '../connection/roundTripQuestions.js'
import { TaskTransport } from '../connection/taskTransport.js'
import { withTasks } from '../connection/withTasks.js'
import { DEFAULT_POLL_POLICY, type PollPolicy } from '../engine/pollPolicy.js'
import type { Environment } from '../environment/environment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import type { OnProtocolIssue } from '../protocol/task.js'
import { memoryStorage } from '../storage/memoryStorage.js'
import { pageStorage } from '../storage/pageStorage.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import { VERSION } from '../version.js'
import type { TaskClientBaseOptions, TaskClientOptions, TaskClientUrlOptions } from './taskClient.js'

/** Which SDK client is used and how it is connected. */
export interface SdkSetup {
  readonly client: Client
  readonly createTransport: (() => Transport) | undefined
  /** Where records belong: the URL without query and credentials. */
  readonly endpoint: string
  readonly url: string | undefined
}

/**
 * The SDK client and transport that the options ask for.
 *
 * @throws {TaskConfigurationError} without a usable `url` or `client`.
 */
export function setUpSdk(options: TaskClientOptions, environment: Environment, onIssue: OnProtocolIssue): SdkSetup {
  if (typeof options !== 'object' || options === null) throw missingTarget()
  if ('client' in options && options.client !== undefined) {
    const { client, transport, endpoint = '' } = options
    const wrapped =
      transport instanceof TaskTransport || transport === undefined
        ? transport
        : withTasks(transport, { environment, onIssue })
    return { client, createTransport: wrapped && (() => wrapped), endpoint, url: undefined }
  }
  if (options.url === undefined || options.url === '') throw missingTarget()
  const url = parseUrl(options.url, environment.baseUrl())
  return {
    client: createClient(options),
    createTransport: () => createTransport(url, options, environment, onIssue),
    endpoint: url.origin + url.pathname,
    url: url.origin + url.pathname,
  }
}

/** The capabilities follow what can be answered: forms and links always, by the user; the rest by handlers. */
function createClient({ clientInfo, capabilities, inputHandlers = {} }: TaskClientUrlOptions): Client {
  const { sampling, roots } = inputHandlers
  const client = new Client(clientInfo ?? { name: 'taskwire', version: VERSION }, {
    capabilities: {
      elicitation: { form: {}, url: {} },
      ...(sampling && { sampling: {} }),
      ...(roots && { roots: {} }),
      ...capabilities,
    },
    versionNegotiation: { mode: 'auto' },
  })
  routeQuestions(client, [
    'elicitation/create',
    ...(sampling ? (['sampling/createMessage'] as const) : []),
    ...(roots ? (['roots/list'] as const) : []),
  ])
  return client
}

function createTransport(
  url: URL,
  options: TaskClientUrlOptions,
  environment: Environment,
  onIssue: OnProtocolIssue,
): Transport {
  const { transportOptions = {} } = options
  const fetch = transportOptions.fetch ?? environment.fetch
  const http = new StreamableHTTPClientTransport(url, {
    ...transportOptions,
    fetch: answeredFetch(withRetryAfter(fetch, environment.now)),
  })
  return withTasks(http, { environment, onIssue })
}

function parseUrl(url: string | URL, base: string | undefined): URL {
  try {
    const parsed = new URL(url, base)
    if (parsed.protocol === 'http:' || parsed.protocol === 'https:') return parsed
  } catch {
    // Said below.
  }
  throw new TaskConfigurationError(
    `createTaskClient got the url ${JSON.stringify(String(url))}, which is no http(s) URL. Pass the URL of the MCP endpoint.`,
  )
}

function missingTarget(): TaskConfigurationError {
  return new TaskConfigurationError(
    "createTaskClient needs a server: pass { url: 'https://…/mcp' }, or { client } with an SDK client connected over withTasks(transport).",
  )
}

/**
 * The policy that `poll` and `retry` describe.
 *
 * @throws {TaskConfigurationError} where a number is none or makes no sense.
 */
export function pollPolicy(options: TaskClientBaseOptions): PollPolicy {
  const { poll = {}, retry = {} } = options
  return {
    ...DEFAULT_POLL_POLICY,
    defaultIntervalMs: positive(
      'poll.defaultIntervalMs',
      poll.defaultIntervalMs,
      DEFAULT_POLL_POLICY.defaultIntervalMs,
    ),
    minIntervalMs: positive('poll.minIntervalMs', poll.minIntervalMs, DEFAULT_POLL_POLICY.minIntervalMs),
    hidden: poll.hidden ?? DEFAULT_POLL_POLICY.hidden,
    safetyIntervalMs: positive('poll.safetyIntervalMs', poll.safetyIntervalMs, DEFAULT_POLL_POLICY.safetyIntervalMs),
    baseMs: positive('retry.baseMs', retry.baseMs, DEFAULT_POLL_POLICY.baseMs),
    maxMs: positive('retry.maxMs', retry.maxMs, DEFAULT_POLL_POLICY.maxMs),
    maxAttempts: positive('retry.maxAttempts', retry.maxAttempts, DEFAULT_POLL_POLICY.maxAttempts),
  }
}

/**
 * The number given for an option, or its default.
 *
 * @throws {TaskConfigurationError} where it is no number above 0.
 */
export function positive(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && value > 0) return value
  throw new TaskConfigurationError(`${name} is ${String(value)}; it must be a number above 0.`)
}

/**
 * The storage that the option names.
 *
 * @throws {TaskConfigurationError} where it names none.
 */
export function taskStorage(option: TaskClientBaseOptions['storage'], environment: Environment): TaskStorage {
  if (option === undefined || option === 'local' || option === 'session')
    return pageStorage(option ?? 'local', environment)
  if (option === 'memory') return memoryStorage()
  const methods = ['getItem', 'setItem', 'removeItem', 'keys'] as const
  if (typeof option === 'object' && option !== null && methods.every((method) => typeof option[method] === 'function'))
    return option
  throw new TaskConfigurationError(
    "storage must be 'local', 'session', 'memory' or an object with getItem, setItem, removeItem and keys. localStorage itself has no keys().",
  )
}
