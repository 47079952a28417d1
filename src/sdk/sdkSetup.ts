import type { Transport } from '@modelcontextprotocol/client'
import { checkOptionNames, type OptionKinds } from '../core/client/checkOptions.js'
import { clientCapabilities } from '../core/client/clientCapabilities.js'
import { endpointOf } from '../core/client/endpoint.js'
import type { ConnectionOptions, ConnectionSetUp } from '../core/client/setUp.js'
import type { Environment, Unsubscribe } from '../core/environment/environment.js'
import { inDevelopment } from '../core/environment/inDevelopment.js'
import { TaskConfigurationError } from '../core/protocol/errors.js'
import { READ_MORE } from '../core/protocol/readMore.js'
import type { OnProtocolIssue } from '../core/protocol/task.js'
import { createFloor } from '../core/time/floor.js'
import { usesFirstLoad } from './firstLoad.js'
import { LEGACY_OPTIONS, readLegacyOptions } from './sdkBaseOptions.js'
import type { TaskClientOptions, TaskClientSdkOptions, TaskClientUrlOptions } from './sdkOptions.js'
import { type AnyAuthProvider, type BrowserSignIn, isBrowserAuthProvider } from './signIn/authProvider.js'
import { signInByToken } from './signIn/signIn.js'
import { createSigningIn, type ServerSignIn } from './signIn/signingIn.js'
import { TaskTransport } from './transport/taskTransport.js'
import { isSdkV1Client } from './v1/client.js'
import { createSdkV1Connection } from './v1/sdkV1Connection.js'
import { createClient, createHttpTransport } from './v2/httpTransport.js'
import { createSdkV2Connection } from './v2/sdkV2Connection.js'
import type { WithTasksOptions } from './withTasks/withTasks.js'

usesFirstLoad()

/** The options of `taskwire`, beside those of every client. */
const OPTIONS: OptionKinds = {
  url: 'checked elsewhere',
  headers: 'checked elsewhere',
  authProvider: 'checked elsewhere',
  era: ['auto', 'modern', 'legacy'],
  clientInfo: 'checked elsewhere',
  capabilities: 'checked elsewhere',
  transportOptions: 'checked elsewhere',
  client: 'checked elsewhere',
  transport: 'checked elsewhere',
  ...LEGACY_OPTIONS,
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
): ConnectionSetUp {
  if (typeof options !== 'object' || options === null) throw missingTarget()
  const target =
    'client' in options && options.client !== undefined
      ? setUpClient(options, environment, onIssue)
      : setUpUrl(options as TaskClientUrlOptions, environment, onIssue)
  inDevelopment?.(() => checkOptionNames(options, OPTIONS))
  return target
}

/** An SDK client of the app. */
function setUpClient(
  options: TaskClientSdkOptions,
  environment: Environment,
  onIssue: OnProtocolIssue,
): ConnectionSetUp {
  const { client, transport } = options
  checkClient(client)
  refuseUrlOptions({ ...options })
  const endpoint = options.endpoint || undefined
  const legacy = readLegacyOptions(options, environment, false)
  const noSignIn = (onEnd: (error?: Error) => void) => createSigningIn(undefined, onEnd)
  if (isSdkV1Client(client)) {
    const createConnection = (connection: ConnectionOptions) => {
      const open = async () => {
        const { openBesideSdkV2 } = await import('./v1/besideSdkV2.js')
        return openBesideSdkV2({ client, legacy, onIssue: connection.onIssue })
      }
      return createSdkV1Connection({ ...connection, open })
    }
    return { endpoint, createConnection, createSigningIn: noSignIn }
  }
  const createTransport = transport === undefined ? transport : givenTransport(transport, { environment, onIssue })
  const createConnection = (connection: ConnectionOptions) =>
    createSdkV2Connection({
      ...connection,
      client,
      createTransport,
      onMessage: (message, isSent) => connection.tap.onWire?.({ at: environment.now(), message, isSent }),
      url: undefined,
      // A transport that is given as it is can be used once.
      retry: typeof transport === 'function' ? { ...connection.retry, leftMs: () => 0 } : undefined,
      legacy,
    })
  return { endpoint, createConnection, createSigningIn: noSignIn }
}

/** An SDK client and a transport of our own. */
function setUpUrl(options: TaskClientUrlOptions, environment: Environment, onIssue: OnProtocolIssue): ConnectionSetUp {
  if (options.url === undefined || options.url === '') throw missingTarget()
  const { url: given, era = 'auto' } = options
  const server = endpointOf(given, environment)
  const endpoint = options.endpoint || server.key
  const { transportOptions, headers } = options
  checkTransportOptions(options)
  const provider: AnyAuthProvider | undefined = options.authProvider ?? transportOptions?.authProvider
  const gate = provider && signInByToken(isBrowserAuthProvider(provider), environment)
  const fetch = transportOptions?.fetch ?? environment.fetch
  let inBrowser: BrowserSignIn | undefined
  const signIn: ServerSignIn = {
    provider,
    gate,
    url: server.url,
    fetch: gate?.wrap(fetch) ?? fetch,
    environment,
    skipIssuerMetadataValidation: transportOptions?.skipIssuerMetadataValidation,
    inBrowser: () => {
      if (isBrowserAuthProvider(provider))
        inBrowser ??= provider.forServer({
          url: server.url(),
          environment,
          skipIssuerMetadataValidation: signIn.skipIssuerMetadataValidation,
        })
      return inBrowser
    },
  }
  const legacy = readLegacyOptions(options, environment, true)
  const floor = createFloor(environment.now)
  let onSignedIn = () => {}
  let stopWaiting: Unsubscribe | undefined
  const createConnection = (connection: ConnectionOptions) => {
    const onState: ConnectionOptions['onState'] = (state) => {
      stopWaiting?.()
      stopWaiting = state.status === 'unauthorized' ? signIn.inBrowser()?.onNewTokens(onSignedIn) : undefined
      connection.onState(state)
    }
    const capabilities = clientCapabilities(options, options.capabilities)
    return createSdkV2Connection({
      ...connection,
      onState,
      client: createClient(options.clientInfo, capabilities, era),
      era,
      capabilities,
      createTransport: () =>
        createHttpTransport(server.url(), {
          transportOptions,
          authProvider: isBrowserAuthProvider(provider) ? signIn.inBrowser()?.transport : provider,
          headers,
          environment,
          onIssue,
          signIn: gate,
          tap: connection.tap,
          onConnectAfter: floor.set,
        }),
      url: server.place,
      signIn: gate,
      retry: { ...connection.retry, leftMs: floor.leftMs },
      legacy,
    })
  }
  return {
    endpoint,
    url: given,
    createConnection,
    createSigningIn: (onEnd) => {
      onSignedIn = onEnd
      return createSigningIn(signIn, onEnd)
    },
  }
}

/**
 * The app's transport for each attempt to connect. One that is given as it is cannot be started again. The app may call
 * tools by its client, too, so what follows the tasks of such calls is loaded.
 */
function givenTransport(given: Transport | (() => Transport), options: WithTasksOptions): () => Promise<Transport> {
  let isUsedUp = false
  return async () => {
    const { withTasks } = await import('./withTasks/withTasks.js')
    if (isUsedUp) {
      throw new TaskConfigurationError(
        `The transport given to createTaskClient is used up: it can connect once. ${inDevelopment ? 'Pass a function that makes one, as in { client, transport: () => new StreamableHTTPClientTransport(url) }.' : READ_MORE}`,
      )
    }
    isUsedUp = typeof given !== 'function'
    const transport = typeof given === 'function' ? given() : given
    return transport instanceof TaskTransport ? transport : withTasks(transport, options)
  }
}

/** What is said twice may contradict itself. */
function checkTransportOptions({ authProvider, headers, transportOptions }: TaskClientUrlOptions): void {
  const twice =
    authProvider && transportOptions?.authProvider
      ? ['authProvider', 'transportOptions.authProvider']
      : headers && transportOptions?.requestInit?.headers && ['headers', 'transportOptions.requestInit.headers']
  if (!twice) return
  throw new TaskConfigurationError(`createTaskClient got ${twice.join(' and ')}. Use the option ${twice[0]} alone.`)
}

/** What the SDK client of an app decides on its own. */
function refuseUrlOptions(options: Record<string, unknown>): void {
  const { headers, authProvider, era } = options
  const [name] = Object.entries({ headers, authProvider, era }).find(([, value]) => value !== undefined) ?? []
  if (name === undefined) return
  throw new TaskConfigurationError(
    `createTaskClient got ${name} and a client. ${inDevelopment ? 'Set it where you make the client and its transport, or pass { url } instead.' : READ_MORE}`,
  )
}

function checkClient(client: unknown): asserts client is object {
  const isObject = typeof client === 'object' && client !== null
  if (isObject && ('getProtocolEra' in client || isSdkV1Client(client))) return
  throw new TaskConfigurationError(
    `The client is not an SDK client. ${inDevelopment ? 'Pass a Client of @modelcontextprotocol/client connected over withTasks(transport), or one of @modelcontextprotocol/sdk 1.x.' : READ_MORE}`,
  )
}

function missingTarget(): TaskConfigurationError {
  return new TaskConfigurationError(
    `createTaskClient needs a server: pass { url: 'https://…/mcp' }${inDevelopment ? ', or { client } with an SDK client connected over withTasks(transport).' : '.'}`,
  )
}
