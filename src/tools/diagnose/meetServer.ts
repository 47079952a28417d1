import { supportsTasks } from '../../core/protocol/extension.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { servesLegacyTasks } from '../../core/protocol/legacyTask.js'
import { resultOf, textOf } from './answers.js'
import type { Asker } from './createAsker.js'
import {
  brokenMessage,
  initializeMessage,
  legacyMessage,
  type Message,
  MODERN_REVISION,
  modernMessage,
} from './messages.js'
import type { Answer, Observed, ServerSeen, StreamSeen, TaskRun } from './observed.js'

export interface MeetServerOptions {
  /** How long a push stream is watched for something that cuts it, in ms. */
  readonly watchMs: number
  /** Calls a tool, too. Passed by callers that want that, so that other pages need not load it. */
  readonly follow?: ((spoken: Spoken) => Promise<Followed | undefined>) | undefined
}

/** The server's answers, which are the same for every caller. */
export type Met = Pick<Observed, 'first' | 'server' | 'refusal' | 'unknownTask' | 'stream' | 'run'>

/** A server, and how it is spoken to. */
export interface Spoken {
  readonly asker: Asker
  readonly server: ServerSeen
  /** Makes a request of the revision that the server speaks. */
  readonly message: (method: string, params: JsonObject) => Message
  close(): Promise<void>
}

/** What came of a call, and of a stream of its task where the server speaks of streams. */
export interface Followed {
  readonly run: TaskRun
  readonly stream: StreamSeen | undefined
}

const NOBODY = { server: undefined, refusal: undefined, unknownTask: undefined, stream: undefined, run: undefined }

/** An id that no server gives a task. */
const UNKNOWN_TASK = 'taskwire-doctor-asks-for-no-task'

/** Asks a server who it is, in the order of a client, and then what a client asks it later. */
export async function meetServer(asker: Asker, options: MeetServerOptions): Promise<Met> {
  const { watchMs, follow } = options
  const first = await asker.send(modernMessage('server/discover'))
  if (!isAnswered(first)) return { ...NOBODY, first }
  const spoken = discovered(asker, first) ?? (await initialize(asker))
  const isRefused = 'status' in first && first.status >= 400
  if (spoken === undefined) return { ...NOBODY, first, refusal: isRefused ? first : undefined }

  const { server, message, close } = spoken
  const refusal = asker.send(brokenMessage())
  const unknownTask = server.servesTasks ? asker.send(message('tasks/get', { taskId: UNKNOWN_TASK })) : undefined
  const listen = modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } })
  const followed = await follow?.(spoken)
  const pushes = server.era === 'modern' && server.servesTasks
  const met = {
    first,
    server,
    refusal: await refusal,
    unknownTask: await unknownTask,
    stream: followed?.stream ?? (pushes ? await asker.watch(listen, watchMs) : undefined),
    run: followed?.run,
  }
  await close()
  return met
}

/** True if it is worth asking more: there is a server, it does not redirect, and it asks for no credentials. */
function isAnswered(answer: Answer): boolean {
  if ('failure' in answer) return false
  const { status } = answer
  return status !== 0 && (status < 300 || status >= 400) && status !== 401 && status !== 403
}

function discovered(asker: Asker, answer: Answer): Spoken | undefined {
  const result = resultOf(answer)
  const { supportedVersions: versions } = result ?? {}
  if (result === undefined || !Array.isArray(versions) || !versions.includes(MODERN_REVISION)) return undefined
  return {
    asker,
    server: serverSeen('modern', MODERN_REVISION, result, supportsTasks(result['capabilities']), false),
    message: modernMessage,
    close: () => Promise.resolve(),
  }
}

async function initialize(asker: Asker): Promise<Spoken | undefined> {
  const answer = await asker.send(initializeMessage())
  const result = resultOf(answer)
  if (result === undefined || typeof result['protocolVersion'] !== 'string' || 'failure' in answer) return undefined
  const revision = result['protocolVersion']
  const sessionId = answer.headers.get('mcp-session-id')
  const headers = { 'mcp-protocol-version': revision, ...(sessionId !== null && { 'mcp-session-id': sessionId }) }
  const message = (method: string, params: JsonObject) => legacyMessage(method, params, headers)
  await asker.send(message('notifications/initialized', {}))
  return {
    asker,
    server: serverSeen('legacy', revision, result, servesLegacyTasks(result['capabilities']), sessionId !== null),
    message,
    close: async () => {
      if (sessionId !== null) await asker.send({ method: 'DELETE', headers })
    },
  }
}

function serverSeen(
  era: ServerSeen['era'],
  revision: string,
  { serverInfo, capabilities, _meta }: JsonObject,
  servesTasks: boolean,
  hasSession: boolean,
): ServerSeen {
  const info = isJsonObject(serverInfo)
    ? serverInfo
    : isJsonObject(_meta)
      ? Object.values(_meta).find(isServerInfo)
      : undefined
  const name = isServerInfo(info) ? `${info['name']} ${textOf(info['version'] ?? '')}`.trim().slice(0, 100) : undefined
  return { era, revision, name, capabilities: isJsonObject(capabilities) ? capabilities : {}, servesTasks, hasSession }
}

function isServerInfo(value: unknown): value is JsonObject {
  return isJsonObject(value) && typeof value['name'] === 'string'
}
