import type { SimulatedBrowser } from 'taskwire/testing'
import type { Recording, ShownState } from '../../src/tools/devtools/recording/recording.js'
import { createClientOf } from '../support/createClientOf.js'

/** What the server has said of a task first. */
interface Snapshot {
  readonly taskId: string
  readonly createdAt?: string
  readonly ttlMs?: number | null
  readonly pollIntervalMs?: number
}

/** Leaves the records of the calls that the recorded page has not made itself: an earlier page makes them, and crashes. */
export async function leaveRecords(recording: Recording, browser: SimulatedBrowser): Promise<void> {
  const found = foundCalls(recording)
  if (found.length === 0) return
  const page = browser.openPage()
  const fetch = async (_: string | URL, { body }: RequestInit = {}): Promise<Response> => {
    const { id, method, params } = JSON.parse(String(body))
    const snapshot = found.find(({ state }) => state.task === params?.arguments?.task)?.snapshot
    const result = method === 'tools/call' ? taskResult(snapshot, browser.now()) : discovered(recording)
    return Response.json({ jsonrpc: '2.0', id, result })
  }
  const client = createClientOf('lite', { url: 'http://localhost/mcp', environment: { ...page.environment, fetch } })
  for (const { state } of found) {
    const { name, key, task } = state
    client.startToolCall({ name, arguments: { task } }, { ...(key !== undefined && { key }) }).result.catch(() => {})
  }
  await browser.settle()
  await page.crash()
}

function foundCalls({ steps }: Recording): { readonly state: ShownState; readonly snapshot: Snapshot | undefined }[] {
  const called = new Set<string>()
  const states = new Map<string, ShownState>()
  const snapshots = new Map<string, Snapshot>()
  for (const { event } of steps) {
    if (event?.type === 'call' && event.observation.type === 'task-created') called.add(event.observation.callId)
    if (event?.type === 'shows' && event.state?.task !== undefined && !states.has(event.callId))
      states.set(event.callId, event.state)
    if (event === undefined || !('message' in event)) continue
    const { result, params } = event.message as { result?: Snapshot; params?: Snapshot }
    const snapshot = result ?? params
    if (snapshot?.taskId !== undefined && !snapshots.has(snapshot.taskId)) snapshots.set(snapshot.taskId, snapshot)
  }
  return [...states].flatMap(([callId, state]) =>
    called.has(callId) ? [] : [{ state, snapshot: snapshots.get(state.task ?? '') ?? { taskId: state.task ?? '' } }],
  )
}

function taskResult(snapshot: Snapshot | undefined, now: number): object {
  const { taskId, createdAt = new Date(now).toISOString(), ttlMs = null, pollIntervalMs = 1000 } = snapshot ?? {}
  const task = { taskId, createdAt, lastUpdatedAt: createdAt, ttlMs, pollIntervalMs }
  return { resultType: 'task', status: 'working', ...task }
}

/** As the server of the recording introduced itself, or one that has tasks. */
function discovered({ steps }: Recording): unknown {
  const [said] = steps.flatMap(({ event }) => {
    if (event?.type !== 'answered' || event.message === undefined) return []
    const { result } = event.message as { result?: { supportedVersions?: unknown } }
    return result?.supportedVersions === undefined ? [] : [result]
  })
  const capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
  return said ?? { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities }
}
