import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createTaskClient, type TaskClient, withTasks } from 'taskwire'
import type { TaskClientBaseOptions } from 'taskwire/types'

/** What the browser keeps between two pages. */
export interface Visit {
  readonly storage: NonNullable<TaskClientBaseOptions['storage']>
  /** The MCP session, where the app sees to it itself. */
  sessionId?: string | undefined
}

/** How an app comes by its task client. */
export interface EraPage {
  readonly client: TaskClient
  close(): Promise<void>
}

export type OpenPage = (url: string, visit: Visit, options?: TaskClientBaseOptions) => Promise<EraPage>

/** `createTaskClient({ url })`: SDK v2 negotiates. */
export const openByUrl: OpenPage = async (url, { storage }, options) => {
  const client = createTaskClient({ url, storage, ...options })
  return { client, close: client.close }
}

/** `createTaskClient({ client })` with an SDK v2 client of the app. */
export const openWithSdkV2: OpenPage = async (url, { storage }, options) => {
  const sdk = new Client(
    { name: 'app', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  )
  await sdk.connect(withTasks(new StreamableHTTPClientTransport(new URL(url))))
  const client = createTaskClient({ client: sdk, endpoint: url, storage, ...options })
  return { client, close: client.close }
}

/** `createTaskClient({ client })` with an SDK v1 client of the app, which keeps its session over a reload. */
export const openWithSdkV1: OpenPage = async (url, visit, options) => {
  const { storage, sessionId } = visit
  const sdk = new ClientV1({ name: 'app', version: '1' }, { capabilities: { elicitation: { form: {} }, sampling: {} } })
  const transport = new TransportV1(new URL(url), { ...(sessionId !== undefined && { sessionId }) })
  // SDK v1 is not written for exactOptionalPropertyTypes.
  await sdk.connect(transport as Parameters<ClientV1['connect']>[0])
  visit.sessionId = transport.sessionId
  const client = createTaskClient({ client: sdk, endpoint: url, storage, ...options })
  return { client, close: client.close }
}
