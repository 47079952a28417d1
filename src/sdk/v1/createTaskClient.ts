import { checkOptionNames, type OptionKinds } from '../../core/client/checkOptions.js'
import { createClientOver } from '../../core/client/createClientOver.js'
import { mustBe } from '../../core/client/mustBe.js'
import { PARTS_OF_EVERY_REVISION } from '../../core/client/parts/everyRevision.js'
import type { ConnectionSetUp } from '../../core/client/setUp.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { AnyTools, ToolsOf } from '../../core/client/tools.js'
import type { Environment } from '../../core/environment/environment.js'
import { inDevelopment } from '../../core/environment/inDevelopment.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { LEGACY_OPTIONS, readLegacyOptions } from '../sdkBaseOptions.js'
import { openSdkV1Alone } from './alone.js'
import { isSdkV1Client } from './client.js'
import type { TaskClientSdkV1Options } from './options.js'
import { createSdkV1Connection } from './sdkV1Connection.js'

/**
 * Creates a client over an existing `Client` of `@modelcontextprotocol/sdk` 1.x. Unlike `taskwire`, this entry does not
 * import `@modelcontextprotocol/client`. The client speaks MCP up to 2025-11-25, like that SDK. Calls, store, storage,
 * tabs, errors and guarantees are the same as with `createTaskClient` of `taskwire`, and the hooks of each framework accept
 * it. The client does nothing until its first use.
 *
 * @throws {TaskConfigurationError} if the options cannot work; the message says what to change.
 *
 * @example
 * ```ts
 * import { Client } from '@modelcontextprotocol/sdk/client/index.js'
 * import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
 * import { createTaskClient } from 'taskwire/sdk-v1'
 *
 * const sdk = new Client({ name: 'app', version: '1.0.0' })
 * await sdk.connect(new StreamableHTTPClientTransport(new URL('https://example.com/mcp')))
 * const client = createTaskClient({ client: sdk, endpoint: 'https://example.com/mcp' })
 * const result = await client.callTool({ name: 'generate_report', arguments: { seconds: 30 } }, { key: 'weekly' })
 * ```
 *
 * @typeParam T The server's tools: `Tools` as `npx taskwire types` writes it.
 */
export function createTaskClient<T extends object = AnyTools>(options: TaskClientSdkV1Options): TaskClient<ToolsOf<T>> {
  const setUp = (environment: Environment) => setUpSdkV1(options, environment)
  // What the tools are is known to types alone.
  return createClientOver(options, setUp, PARTS_OF_EVERY_REVISION) as TaskClient<ToolsOf<T>>
}

/** The options of `taskwire/sdk-v1`, beside those of every client. */
const OPTIONS: OptionKinds = {
  client: 'checked elsewhere',
  jsonSchemaValidator: 'checked elsewhere',
  ...LEGACY_OPTIONS,
}

function setUpSdkV1(options: TaskClientSdkV1Options, environment: Environment): ConnectionSetUp {
  const { client, jsonSchemaValidator: schemaValidator } = Object(options) as TaskClientSdkV1Options
  if (!isSdkV1Client(Object(client))) throw wrongClient(options)
  refuseOptionsOfTransport({ ...options })
  if (schemaValidator !== undefined && typeof schemaValidator?.getValidator !== 'function')
    throw mustBe('jsonSchemaValidator', schemaValidator, 'an object with getValidator')
  const legacy = readLegacyOptions(options, environment, false)
  inDevelopment?.(() => checkOptionNames(options, OPTIONS))
  return {
    endpoint: options.endpoint || undefined,
    createConnection: (connection) => {
      const open = async () => openSdkV1Alone({ client, legacy, onIssue: connection.onIssue, schemaValidator })
      return createSdkV1Connection({ ...connection, open })
    },
    createSigningIn: () => ({ authorize: noSignIn, finishAuthorization: noSignIn, signOut: async () => {} }),
  }
}

const FROM_TASKWIRE = "import { createTaskClient } from 'taskwire', which needs @modelcontextprotocol/client"

function noSignIn(): Promise<never> {
  return Promise.reject(
    new TaskConfigurationError(
      'taskwire/sdk-v1 does not sign users in. Give an authProvider to the transport of the client, and sign in by that.',
    ),
  )
}

/** What the app sets where it makes the client and its transport. */
function refuseOptionsOfTransport(options: Record<string, unknown>): void {
  const names = ['transport', 'headers', 'authProvider', 'era', 'clientInfo', 'capabilities', 'transportOptions']
  const name = names.find((each) => options[each] !== undefined)
  if (name === undefined) return
  throw new TaskConfigurationError(
    `createTaskClient of taskwire/sdk-v1 got ${name}. Set it where you make the client and its transport.`,
  )
}

function wrongClient(options: unknown): TaskConfigurationError {
  const { url, client } = Object(options)
  if (client === undefined && url !== undefined) {
    return new TaskConfigurationError(
      `createTaskClient of taskwire/sdk-v1 got a url and no client. Pass { client } with a connected Client of @modelcontextprotocol/sdk 1.x, or ${FROM_TASKWIRE}.`,
    )
  }
  return new TaskConfigurationError(
    `createTaskClient of taskwire/sdk-v1 needs { client }, a Client of @modelcontextprotocol/sdk 1.x. For one of @modelcontextprotocol/client, ${FROM_TASKWIRE}.`,
  )
}
