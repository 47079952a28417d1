import type { TaskStatus } from 'taskwire'
import { readEvents } from './readEvents.js'
import { record, type WireMessage } from './wireRecorder.js'

/** `fetch`, with a note of each MCP message. */
export async function recordingFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const { method, params } = readJson(init?.body)
  if (method === undefined) return fetch(url, init)

  const note = record({ method, sentAt: Date.now(), ...taskIn(params) })
  const failed = () => note({ answeredAt: Date.now(), hasFailed: true })
  try {
    const response = await fetch(url, init)
    const type = response.headers.get('content-type') ?? ''
    if (!response.ok) failed()
    else if (type.startsWith('text/event-stream')) return readEvents(response, (data) => recordPush(readJson(data)))
    else note({ answeredAt: Date.now(), ...taskIn(readJson(await response.clone().text()).result) })
    return response
  } catch (error) {
    failed()
    throw error
  }
}

function recordPush({ method, params }: JsonRpcMessage): void {
  const now = Date.now()
  if (method === 'notifications/tasks') record({ method, sentAt: now, answeredAt: now, ...taskIn(params) })
}

interface TaskBody {
  taskId?: string
  status?: TaskStatus
  pollIntervalMs?: number
}

interface JsonRpcMessage {
  method?: string
  params?: TaskBody
  result?: TaskBody
}

function taskIn(body: TaskBody = {}): Partial<WireMessage> {
  const { taskId, status, pollIntervalMs } = body
  return { ...(taskId && { taskId }), ...(status && { status }), ...(pollIntervalMs && { pollIntervalMs }) }
}

function readJson(text: unknown): JsonRpcMessage {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as JsonRpcMessage) : {}
  } catch {
    return {}
  }
}
