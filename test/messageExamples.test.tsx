import type { TaskClient, ToolCallState } from 'taskwire'
import type { PushOptions } from 'taskwire/backend/push'
import type { NotifyOptions } from 'taskwire/notify'
import { expect, test, vi } from 'vitest'
import { createWorkServer } from './support/workServer.js'

// What the examples of the pages have chosen.
const chosen: { notify?: NotifyOptions; push?: PushOptions } = vi.hoisted(() => ({}))
vi.mock('taskwire/notify', () => ({
  notifyWhenSettled: (_client: TaskClient, options: NotifyOptions) => {
    chosen.notify = options
    return {}
  },
}))
vi.mock('taskwire/backend/push', () => ({
  createPush: (options: PushOptions) => {
    chosen.push = options
    return { watch: () => {}, resume: async () => {}, close: async () => {} }
  },
}))

/** The ends of four calls: one that is done, one whose tool says that it has failed, one that has failed, and a cancelled one. */
async function settledCalls() {
  const server = createWorkServer()
  const { createTaskClient } = await import('taskwire')
  const client = createTaskClient({ url: server.url, environment: server.environment })
  const outcomes = ['success', 'tool error', 'failure', 'success']
  const calls = outcomes.map((outcome) => client.startToolCall({ name: 'work', arguments: { seconds: 1, outcome } }))
  for (const { result } of calls) result.catch(() => {})
  await server.advance(500)
  await calls[3]?.cancel()
  await server.advance(5000)
  return calls.map((call) => call.getState() as Extract<ToolCallState, { phase: 'completed' | 'failed' | 'cancelled' }>)
}

test('the notification of the page on notifying says that a tool has failed, and nothing of a cancelled call', async () => {
  await import('../docs/examples/observingNotify.js')
  document.body.replaceChildren()
  const { filter, title } = chosen.notify ?? {}
  const calls = (await settledCalls()).filter((call) => filter?.(call))
  expect(calls.map((call) => (typeof title === 'function' ? title(call) : title))).toEqual([
    'work is ready',
    'work has failed',
    'work has failed',
  ])
})

test('the message of the page on closed tabs says that a tool has failed, and nothing of a cancelled call', async () => {
  await import('../docs/examples/backendPush.js')
  const { filter = () => true, message } = chosen.push ?? {}
  const calls = (await settledCalls()).filter((call) => filter(call, 'ada'))
  expect(calls.map((call) => message?.(call, 'ada')?.title)).toEqual(['Report ready', 'Report failed', 'Report failed'])
})
