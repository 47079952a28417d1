import type { ClientCapabilities, Transport } from '@modelcontextprotocol/client'
import type { Connection } from '../connection/connection.js'
import type { LegacyOptions } from '../connection/legacy/options.js'
import { isSdkV1Client } from '../connection/sdkV1/client.js'
import { createSdkV1Connection } from '../connection/sdkV1/sdkV1Connection.js'
import { createClient, createHttpTransport } from '../connection/sdkV2/httpTransport.js'
import { createSdkV2Connection, type SdkV2ConnectionOptions } from '../connection/sdkV2/sdkV2Connection.js'
import { signInByToken } from '../connection/signIn.js'
import { TaskTransport } from '../connection/transport/taskTransport.js'
import type { WireTap } from '../connection/wireTap.js'
import type { WithTasksOptions } from '../connection/withTasks/withTasks.js'
import type { Environment } from '../environment/environment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import type { OnProtocolIssue } from '../protocol/task.js'
import { hash } from '../storage/hash.js'
import type { TaskClientOptions, TaskClientUrlOptions } from './taskClient.js'

/** Stands for the page where there is none, to recognize a relative URL. */
const NO_PAGE = 'http://page.invalid'

/** Which SDK client is used and how it is connected. */
export interface SdkSetup {
  /** Where records belong; undefined if it is not known. */
  readonly endpoint: string | undefined
  createConnection(options: ConnectionOptions): Connection
}

type ConnectionOptions = Pick<
  SdkV2ConnectionOptions,
  'callTimeoutMs' | 'environment' | 'randomId' | 'onState' | 'onIssue'
> & {
  readonly legacy: Omit<LegacyOptions, 'addressesSessions'>
}

/**
 * The SDK client and transport that the options ask for.
 *
 * @throws {TaskConfigurationError} without a usable `url` or `client`.
 */
export function setUpSdk(
  options: TaskClientOptions,
  environment: Environment,
  onIssue: OnProtocolIssue,
  tap: WireTap,
): SdkSetup {
  if (typeof options !== 'object' || options === null) throw missingTarget()
  if ('client' in options && options.client !== undefined) {
    const { client, transport } = options
    checkClient(client)
    const endpoint = options.endpoint || undefined
    if (isSdkV1Client(client)) {
      const createConnection = (connection: ConnectionOptions) =>
        createSdkV1Connection({ ...connection, client, legacy: { ...connection.legacy, addressesSessions: false } })
      return { endpoint, createConnection }
    }
    const createTransport = transport === undefined ? transport : givenTransport(transport, { environment, onIssue })
    const createConnection = (connection: ConnectionOptions) =>
      createSdkV2Connection({
        ...connection,
        client,
        createTransport,
        onMessage: (message, isSent) => tap.onWire?.({ at: environment.now(), message, isSent }),
        url: undefined,
        legacy: { ...connection.legacy, addressesSessions: false },
      })
    return { endpoint, createConnection }
  }
  if (options.url === undefined || options.url === '') throw missingTarget()
  const { url: given } = options
  const url = parseUrl(given, environment.baseUrl())
  const place = url === undefined ? String(given) : url.origin + url.pathname
  // A query may hold a token, which has no business in a storage.
  const query = url === undefined || url.search === '' ? '' : `?${hash(url.search)}`
  const endpoint = options.endpoint || place + query
  const signIn = options.transportOptions?.authProvider && signInByToken()
  const createConnection = (connection: ConnectionOptions) => {
    const capabilities = clientCapabilities(options)
    return createSdkV2Connection({
      ...connection,
      client: createClient(options.clientInfo, capabilities),
      capabilities,
      createTransport: () =>
        createHttpTransport(url ?? resolveUrl(given, environment.baseUrl()), {
          transportOptions: options.transportOptions,
          environment,
          onIssue,
          signIn,
          tap,
        }),
      url: place,
      signIn,
      legacy: { ...connection.legacy, addressesSessions: true },
    })
  }
  return { endpoint, createConnection }
}

/**
 * The app's transport for each attempt to connect. One that is given as it is cannot be started again. The app may call
 * tools by its client, too, so what follows the tasks of such calls is loaded.
 */
function givenTransport(given: Transport | (() => Transport), options: WithTasksOptions): () => Promise<Transport> {
  let isUsedUp = false
  return async () => {
    const { withTasks } = await import('../connection/withTasks/withTasks.js')
    if (isUsedUp) {
      throw new TaskConfigurationError(
        'The transport given to createTaskClient is used up: it can connect once. Pass a function that makes one, as in { client, transport: () => new StreamableHTTPClientTransport(url) }.',
      )
    }
    isUsedUp = typeof given !== 'function'
    const transport = typeof given === 'function' ? given() : given
    return transport instanceof TaskTransport ? transport : withTasks(transport, options)
  }
}

/** They follow what can be answered: forms and links always, by the user; the rest by handlers, or as the app says. */
function clientCapabilities({ capabilities, input }: TaskClientUrlOptions): ClientCapabilities {
  const { sampling, roots } = input?.handlers ?? {}
  return {
    elicitation: { form: {}, url: {} },
    ...(sampling && { sampling: {} }),
    ...(roots && { roots: {} }),
    ...capabilities,
  }
}

/** Undefined for a URL that is relative where there is no page to resolve it against, as on a server. */
function parseUrl(url: string | URL, base: string | undefined): URL | undefined {
  try {
    const parsed = new URL(url, base ?? NO_PAGE)
    if (parsed.origin === NO_PAGE) return undefined
    if (parsed.protocol === 'http:' || parsed.protocol === 'https:') return parsed
  } catch {
    // Said below.
  }
  throw new TaskConfigurationError(
    `createTaskClient got the url ${JSON.stringify(String(url))}, which is no http(s) URL. Pass the URL of the MCP endpoint.`,
  )
}

/**
 * The URL to connect to.
 *
 * @throws {TaskConfigurationError} where it is relative and there still is no page.
 */
function resolveUrl(url: string | URL, base: string | undefined): URL {
  const resolved = parseUrl(url, base)
  if (resolved !== undefined) return resolved
  throw new TaskConfigurationError(
    `Failed to connect: the url ${JSON.stringify(url)} is relative, and there is no page to resolve it against, as on a server. Pass the whole URL.`,
  )
}

function checkClient(client: unknown): asserts client is object {
  const isObject = typeof client === 'object' && client !== null
  if (isObject && ('getProtocolEra' in client || isSdkV1Client(client))) return
  throw new TaskConfigurationError(
    'The client is no SDK client. Pass a Client of @modelcontextprotocol/client connected over withTasks(transport), or one of @modelcontextprotocol/sdk 1.x.',
  )
}

function missingTarget(): TaskConfigurationError {
  return new TaskConfigurationError(
    "createTaskClient needs a server: pass { url: 'https://…/mcp' }, or { client } with an SDK client connected over withTasks(transport).",
  )
}
