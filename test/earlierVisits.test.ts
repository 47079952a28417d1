import type { TaskClient, TaskClientUrlOptions } from 'taskwire'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

const open = (options: Partial<TaskClientUrlOptions> = {}): TaskClient =>
  createTaskClient({ url: server.url, environment: server.browser.openPage().environment, ...options })

const calls = (client: TaskClient) => Object.values(client.store.getState().calls)

/** Makes a call with the key `k` in a visit that ends with it. */
async function visit(args: Record<string, unknown> = { seconds: 1 }): Promise<string> {
  const client = open()
  const { callId } = client.startToolCall({ name: 'work', arguments: args }, { key: 'k' })
  await server.advance(3000)
  await client.close()
  return callId
}

async function nextVisit(options: Partial<TaskClientUrlOptions> = {}): Promise<TaskClient> {
  const client = open(options)
  await Promise.all([client.resumeToolCalls(), server.advance(100)])
  return client
}

describe('a call that ended in an earlier visit', () => {
  it('shows its outcome to whoever looks, also where tasks are followed only for those who wait', async () => {
    const callId = await visit()
    const client = await nextVisit({ resume: 'lazy' })
    const call = client.getToolCall(callId)
    await server.advance(1000)
    expect(call?.getState()).toMatchObject({ phase: 'completed', result: { structuredContent: { seconds: 1 } } })
  })

  it.each([
    ['completed', { seconds: 1 }, { phase: 'completed', result: { structuredContent: { seconds: 1 } } }],
    ['failed', { seconds: 1, outcome: 'failure' }, { phase: 'failed', error: { name: 'TaskFailedError' } }],
  ])(
    'is listed as %s by its record, and its outcome is fetched once when somebody looks',
    async (status, args, outcome) => {
      const callId = await visit(args)
      const before = server.requests.length
      const client = await nextVisit()
      await server.advance(60_000)
      expect(calls(client)).toMatchObject([{ callId, name: 'work', phase: 'ended', task: { status } }])
      expect(server.requests.slice(before)).toEqual([])

      const call = client.getToolCall(callId)
      const same = client.getToolCall(callId)
      await server.advance(1000)
      expect(call?.getState()).toMatchObject(outcome)
      expect(same?.getState()).toBe(call?.getState())
      await server.advance(60_000)
      const methods = server.requests.slice(before).map(({ method }) => method)
      expect(methods.filter((method) => method.startsWith('t'))).toEqual(['tasks/get'])
    },
  )

  it.each(['success', 'failure'])('is no news to onToolCallSettled, however it is asked for (%s)', async (outcome) => {
    const args = { seconds: 1, outcome }
    const callId = await visit(args)
    for (const ask of [
      (client: TaskClient) => client.resumeToolCalls().then(() => client.getToolCall(callId)),
      (client: TaskClient) => client.startToolCall({ name: 'work', arguments: args }, { key: 'k' }),
      (client: TaskClient) => client.resumeToolCalls({ callId }),
    ]) {
      const client = open()
      const settled = vi.fn()
      client.onToolCallSettled(settled)
      void ask(client)
      await server.advance(2000)
      expect(client.getToolCallState(callId)?.phase).toBe(outcome === 'success' ? 'completed' : 'failed')
      expect(settled).not.toHaveBeenCalled()
      await client.close()
    }
  })

  it('is news where it has ended since, while no page was open, or another tab made it', async () => {
    const first = open()
    first.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'k' })
    await server.advance(1000)
    await first.close()
    await server.advance(60_000)
    const [client, other] = [open(), open()]
    const settled = [vi.fn(), vi.fn()] as const
    client.onToolCallSettled(settled[0])
    other.onToolCallSettled(settled[1])
    for (const each of [client, other]) each.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'k' })
    await server.advance(5000)
    for (const each of settled) expect(each).toHaveBeenCalledOnce()
  })

  it('is not made again by its key, and shows when it ended', async () => {
    await visit()
    const endedAt = server.browser.now()
    const client = await nextVisit()
    expect(calls(client)[0]?.endedAt).toBeLessThanOrEqual(endedAt)
    const again = client.callTool({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
    await server.advance(1000)
    await expect(again).resolves.toMatchObject({ structuredContent: { seconds: 1 } })
    expect(server.count('tools/call')).toBe(1)
  })

  it.each(['success', 'failure'])(
    'keeps the time of its end, however often its outcome is fetched (%s)',
    async (outcome) => {
      const first = open()
      const made = first.startToolCall({ name: 'work', arguments: { seconds: 1, outcome } }, { key: 'k' })
      made.result.catch(() => {})
      await server.advance(3000)
      const { startedAt, endedAt } = made.getState()
      expect(endedAt).toBeGreaterThan(startedAt)
      await first.close()
      for (let visits = 0; visits < 3; visits += 1) {
        await server.advance(60_000)
        const client = await nextVisit()
        expect(calls(client)).toMatchObject([{ phase: 'ended', startedAt, endedAt }])
        const call = client.getToolCall(made.callId)
        call?.result.catch(() => {})
        await server.advance(1000)
        expect(call?.getState()).toMatchObject({ startedAt, endedAt })
        expect(call?.getState().phase).not.toBe('ended')
        await client.close()
      }
    },
  )

  it('leaves the list when it is forgotten, here or in another tab', async () => {
    const callId = await visit()
    const [a, b] = [await nextVisit(), await nextVisit()]
    expect([calls(a), calls(b)]).toMatchObject([[{ callId }], [{ callId }]])
    await a.forget({ callId })
    await server.advance(100)
    expect([calls(a), calls(b)]).toEqual([[], []])
    expect(calls(await nextVisit())).toEqual([])
  })

  it('is listed as lost, without a request, where the server has lost its task', async () => {
    const forgetful: typeof server.fetch = async (url, init) => {
      const isPoll = new Headers(init?.headers).get('mcp-method') === 'tasks/get'
      const response = await server.fetch(url, init)
      const { id } = JSON.parse(String(init?.body))
      return isPoll ? Response.json({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Unknown task' } }) : response
    }
    const first = open({ transportOptions: { fetch: forgetful } })
    const { callId } = first.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
    await server.advance(1500)
    await first.close()
    const polls = server.count('tasks/get')
    const client = await nextVisit()
    expect(calls(client)).toMatchObject([{ callId, phase: 'failed', error: { name: 'TaskExpiredError' } }])
    await expect(client.getToolCall(callId)?.result).rejects.toMatchObject({ name: 'TaskExpiredError' })
    expect(server.count('tasks/get')).toBe(polls)
  })

  it('is listed as interrupted where its response never came', async () => {
    const page = server.browser.openPage()
    const first = createTaskClient({ url: server.url, environment: page.environment })
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call' })
    const { callId } = first.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
    await server.advance(500)
    await page.crash()
    server.faults.clear()
    const client = await nextVisit()
    await server.advance(500)
    expect(calls(client)).toMatchObject([{ callId, phase: 'failed', error: { name: 'ToolCallInterruptedError' } }])
    expect(server.count('tools/call')).toBe(1)
  })
})
