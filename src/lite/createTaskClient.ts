import { checkOptionNames } from '../client/checkOptions.js'
import { clientCapabilities } from '../client/clientCapabilities.js'
import { createClientOver } from '../client/createClientOver.js'
import { endpointOf } from '../client/endpoint.js'
import type { ConnectionSetUp } from '../client/setUp.js'
import type { TaskClient } from '../client/taskClient.js'
import type { AnyTools, ToolsOf } from '../client/tools.js'
import { createLiteConnection } from '../connection/lite/liteConnection.js'
import { tappedFetch } from '../connection/wireTap.js'
import type { Environment } from '../environment/environment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import type { OnProtocolIssue } from '../protocol/task.js'
import { VERSION } from '../version.js'
import type { TaskClientLiteOptions } from './options.js'

/**
 * Creates a client for a server that is known to speak MCP 2026-07-28, without the official SDK: a page ships a third of
 * what it ships with `createTaskClient` of `taskwire`. Calls, store, storage, tabs, errors and guarantees are the same,
 * and `taskwire/react` and `taskwire/query` take it. Creating it does nothing yet: the first use connects.
 *
 * It has no OAuth (pass the token in `headers`), speaks no earlier revision, and does not validate `structuredContent`
 * against the schema of the server (pass an `outputSchema` of the app): for these, import it from `taskwire`.
 *
 * @throws {TaskConfigurationError} where the options cannot work; the message says what to change.
 *
 * @example
 * ```ts
 * import { createTaskClient } from 'taskwire/lite'
 *
 * const client = createTaskClient({
 *   url: 'https://example.com/mcp',
 *   headers: () => ({ Authorization: `Bearer ${token()}` }),
 * })
 * const result = await client.callTool({ name: 'generate_report', arguments: { seconds: 30 } }, { key: 'weekly' })
 * ```
 *
 * @typeParam T The server's tools: `Tools` as `npx taskwire types` writes it, or `typeof server` of a `createTaskServer` in
 * the same repository.
 */
export function createTaskClient<T extends object = AnyTools>(options: TaskClientLiteOptions): TaskClient<ToolsOf<T>> {
  const setUp = (environment: Environment, onIssue: OnProtocolIssue) => setUpLite(options, environment, onIssue)
  // What the tools are is known to types alone.
  return createClientOver(options, setUp) as TaskClient<ToolsOf<T>>
}

/** The names of the options of `taskwire/lite`, beside those of every client. */
const OPTION_NAMES = { '': ['url', 'headers', 'fetch', 'clientInfo', 'capabilities'] }

function setUpLite(
  options: TaskClientLiteOptions,
  environment: Environment,
  onIssue: OnProtocolIssue,
): ConnectionSetUp {
  if (typeof options !== 'object' || options === null) throw missingUrl()
  inDevelopment?.(() => refuseOptionsOfSdk(options))
  if (options.url === undefined || options.url === '') throw missingUrl()
  const { headers, fetch = environment.fetch, clientInfo = { name: 'taskwire', version: VERSION } } = options
  const server = endpointOf(options.url, environment)
  inDevelopment?.(() => checkOptionNames(options, OPTION_NAMES))
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
    createSigningIn: () => ({ authorize: noSignIn, finishAuthorization: noSignIn, signOut: async () => {} }),
  }
}

function noSignIn(): Promise<never> {
  return Promise.reject(new TaskConfigurationError(`taskwire/lite signs nobody in. ${BRING_A_TOKEN}.`))
}

const FROM_TASKWIRE = "import { createTaskClient } from 'taskwire'"
const BRING_A_TOKEN = `Pass a token, as in headers: () => ({ Authorization: \`Bearer \${token}\` }), or ${FROM_TASKWIRE}`

/** Options of `taskwire` that there are not here, with what to do. */
const OF_TASKWIRE: Readonly<Record<string, string>> = {
  client: `it connects by itself. Pass { url }, or ${FROM_TASKWIRE}, which takes a client`,
  transport: `it connects by itself. Pass { url }, or ${FROM_TASKWIRE}, which takes a client and its transport`,
  transportOptions: `it has no transport of the SDK. Pass headers and fetch without it, or ${FROM_TASKWIRE}`,
  authProvider: `it signs nobody in. ${BRING_A_TOKEN}`,
  era: `it speaks MCP 2026-07-28 alone. Leave the option out, or ${FROM_TASKWIRE}`,
  legacy: `it speaks MCP 2026-07-28 alone. Leave the option out, or ${FROM_TASKWIRE}`,
}

function refuseOptionsOfSdk(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || !Object.hasOwn(OF_TASKWIRE, name)) continue
    throw new TaskConfigurationError(`createTaskClient of taskwire/lite got ${name}, but ${OF_TASKWIRE[name]}.`)
  }
}

function missingUrl(): TaskConfigurationError {
  return new TaskConfigurationError("createTaskClient needs a server: pass { url: 'https://…/mcp' }.")
}
