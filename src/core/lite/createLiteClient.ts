import { checkOptionNames, type OptionKinds } from '../client/checkOptions.js'
import { clientCapabilities } from '../client/clientCapabilities.js'
import { createClientOver } from '../client/createClientOver.js'
import { endpointOf } from '../client/endpoint.js'
import type { PartsOfClient } from '../client/parts/parts.js'
import type { ConnectionSetUp } from '../client/setUp.js'
import type { TaskClient } from '../client/taskClient.js'
import type { Environment } from '../environment/environment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { READ_MORE } from '../protocol/readMore.js'
import type { OnProtocolIssue } from '../protocol/task.js'
import { VERSION } from '../protocol/version.js'
import { createLiteConnection } from '../wire/http/liteConnection.js'
import { tappedFetch } from '../wire/wireTap.js'
import type { TaskClientLiteOptions } from './options.js'

/** The options of these clients, beside those of every client. */
const OPTIONS: OptionKinds = {
  url: 'checked elsewhere',
  headers: 'checked elsewhere',
  fetch: 'checked elsewhere',
  clientInfo: 'checked elsewhere',
  capabilities: 'checked elsewhere',
}

/** The function that an app has called. */
export interface Caller {
  readonly name: string
  readonly entry: string
  readonly parts: PartsOfClient
}

/** Makes a client of these parts over the connection without the SDK. */
export function createLiteClient(options: TaskClientLiteOptions, caller: Caller): TaskClient {
  return createClientOver(options, (environment, onIssue) => setUp(options, caller, environment, onIssue), caller.parts)
}

function setUp(
  options: TaskClientLiteOptions,
  caller: Caller,
  environment: Environment,
  onIssue: OnProtocolIssue,
): ConnectionSetUp {
  if (typeof options !== 'object' || options === null) throw missingUrl(caller)
  inDevelopment?.(() => refuseOptionsOfSdk(options, caller))
  if (options.url === undefined || options.url === '') throw missingUrl(caller)
  const { headers, fetch = environment.fetch, clientInfo = { name: 'taskwire', version: VERSION } } = options
  const server = endpointOf(options.url, environment)
  inDevelopment?.(() => checkOptionNames(options, OPTIONS))
  return {
    endpoint: options.endpoint || server.key,
    url: options.url,
    createConnection: (connection) =>
      createLiteConnection({
        ...connection,
        endpoint: server.url,
        url: server.place,
        headers,
        fetch: tappedFetch(fetch, connection.tap, environment.now),
        clientInfo,
        capabilities: { ...clientCapabilities(options, options.capabilities) },
        onIssue,
      }),
    createSigningIn: () => {
      const refuse = () =>
        Promise.reject(new TaskConfigurationError(`${caller.entry} does not sign users in. ${BRING_A_TOKEN}`))
      return { authorize: refuse, finishAuthorization: refuse, signOut: async () => {} }
    },
  }
}

const FROM_TASKWIRE = "import { createTaskClient } from 'taskwire'"
const BRING_A_TOKEN = inDevelopment
  ? `Pass a token, as in headers: () => ({ Authorization: \`Bearer \${token}\` }), or ${FROM_TASKWIRE}.`
  : READ_MORE

function refuseOptionsOfSdk(options: object, { name: caller, entry }: Caller): void {
  /** Options of `taskwire` that there are not here, with what to do. */
  const ofTaskwire: Readonly<Record<string, string>> = {
    client: `it makes its own connection. Pass { url }, or ${FROM_TASKWIRE}, which takes a client.`,
    transport: `it makes its own connection. Pass { url }, or ${FROM_TASKWIRE}, which takes a client and its transport.`,
    transportOptions: `it has no transport of the SDK. Pass headers and fetch without it, or ${FROM_TASKWIRE}.`,
    authProvider: `it does not sign users in. ${BRING_A_TOKEN}`,
    era: `it speaks MCP 2026-07-28 alone. Leave the option out, or ${FROM_TASKWIRE}.`,
    legacy: `it speaks MCP 2026-07-28 alone. Leave the option out, or ${FROM_TASKWIRE}.`,
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || !Object.hasOwn(ofTaskwire, name)) continue
    throw new TaskConfigurationError(`${caller} of ${entry} got ${name}, but ${ofTaskwire[name]}`)
  }
}

function missingUrl({ name }: Caller): TaskConfigurationError {
  return new TaskConfigurationError(`${name} needs a server: pass { url: 'https://…/mcp' }.`)
}
