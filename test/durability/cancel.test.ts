import type { TaskClient, TaskClientUrlOptions, ToolCall } from 'taskwire'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

function openTab(page = server.browser.openPage(), options: Partial<TaskClientUrlOptions> = {}): Tab {
  return { page, client: createTaskClient({ url: server.url, environment: page.environment, ...options }) }
}

function start(tab: Tab): ToolCall {
  const call = tab.client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  call.result.catch(() => {})
  return call
}

async function cancel(call: ToolCall): Promise<{ isDone: boolean }> {
  const cancelling = { isDone: false }
  void call.cancel().then(() => {
    cancelling.isDone = true
  })
  return cancelling
}

describe('cancel() in a page that does not know yet what another one has made of the call', () => {
  it('[DUR-97] right after a reload cancels the task on the server, for every tab', async () => {
    const first = openTab()
    const other = openTab()
    start(first)
    const followed = start(other)
    await server.advance(1500)
    first.page.close()

    const call = start(openTab())
    const cancelling = await cancel(call)
    expect(call.getState()).toMatchObject({ phase: 'calling', isCancelling: true, cancelStatus: 'sending' })
    await server.advance(5000)

    expect(cancelling.isDone).toBe(true)
    expect(server.count('tools/call')).toBe(1)
    expect(server.count('tasks/cancel')).toBe(1)
    for (const { getState } of [call, followed]) expect(getState()).toMatchObject({ phase: 'cancelled' })
  })

  it('[DUR-97] waits for the tab that makes the call, and cancels its task', async () => {
    const first = openTab()
    server.faults.delay(2000, { method: 'tools/call', times: 1 })
    const made = start(first)
    await server.advance(100)
    const call = start(openTab())
    await server.advance(100)
    const cancelling = await cancel(call)
    await server.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'calling', isCancelling: true, cancelStatus: 'sending' })
    expect(cancelling.isDone).toBe(false)
    await server.advance(5000)

    expect(cancelling.isDone).toBe(true)
    expect(server.count('tools/call')).toBe(1)
    expect(server.count('tasks/cancel')).toBe(1)
    for (const { getState } of [call, made]) expect(getState()).toMatchObject({ phase: 'cancelled' })
  })

  it('[DUR-97] makes no call where nobody has made it', async () => {
    const call = start(openTab())
    const cancelling = await cancel(call)
    await server.advance(5000)
    expect(cancelling.isDone).toBe(true)
    expect(call.getState()).toMatchObject({ phase: 'cancelled', error: { name: 'TaskCancelledError' } })
    expect(server.count('tools/call')).toBe(0)
  })

  it('[DUR-97] sends nothing again where the page that made it is gone without an answer', async () => {
    const first = openTab()
    server.faults.delay(2000, { method: 'tools/call', times: 1 })
    start(first)
    await server.advance(100)
    const call = start(openTab())
    const cancelling = await cancel(call)
    first.page.crash()
    await server.advance(5000)
    expect(cancelling.isDone).toBe(true)
    expect(call.getState()).toMatchObject({ phase: 'cancelled', error: { name: 'TaskCancelledError' } })
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-97] leaves alone a tab that waits for another one, where a call that was to be made anew is cancelled', async () => {
    const [first, waiting, anew] = [openTab(), openTab(), openTab()]
    server.faults.delay(2000, { method: 'tools/call', times: 1 })
    start(first)
    await server.advance(100)
    const call = start(waiting)
    await server.advance(100)
    const again = anew.client.startToolCall(
      { name: 'work', arguments: { seconds: 60 } },
      { key: 'k', repeat: 'always' },
    )
    again.result.catch(() => {})
    await server.advance(100)
    await again.cancel()
    await server.advance(5000)
    expect(again.getState()).toMatchObject({ phase: 'cancelled' })
    expect(call.getState()).toMatchObject({ phase: 'working' })
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-97] lets another tab make the call that waits for its turn', async () => {
    const [one, other] = [openTab(), openTab()]
    const cancelled = start(one)
    const cancelling = await cancel(cancelled)
    const call = start(other)
    await server.advance(5000)
    expect(cancelling.isDone).toBe(true)
    expect(cancelled.getState()).toMatchObject({ phase: 'cancelled' })
    expect(call.getState()).toMatchObject({ phase: 'working' })
    expect(server.count('tools/call')).toBe(1)
  })
})

describe('cancel() in a tab that waits for the one that makes the call', () => {
  /** A tab makes a call, which takes 2 s to be answered, and another one cancels it meanwhile. */
  async function cancelInSecond(startIn: (tab: Tab) => ToolCall, addFault = () => {}) {
    const [first, second] = [openTab(), openTab()]
    server.faults.delay(2000, { method: 'tools/call', times: 1 })
    addFault()
    const made = startIn(first)
    await server.advance(100)
    const call = startIn(second)
    await server.advance(100)
    await cancel(call)
    return { made, call, second }
  }

  // tab A  offline, not sent ──────────── told ─ cancelled
  // tab B       waits ─ cancel() ─ tells ▪ closed
  it('[DUR-97] ends the call that the other one has not sent yet, offline too', async () => {
    const [first, second, third] = [openTab(), openTab(), openTab()]
    first.page.setOnline(false)
    const made = start(first)
    await server.advance(100)
    const [call, waiting] = [start(second), start(third)]
    await server.advance(100)
    const cancelling = await cancel(call)
    await server.advance(1000)
    expect(cancelling.isDone).toBe(true)
    second.page.close()
    first.page.setOnline(true)
    await server.advance(5000)
    for (const { getState } of [made, waiting]) expect(getState()).toMatchObject({ phase: 'cancelled' })
    expect(server.count('tools/call')).toBe(0)
  })

  // tab A  tools/call ────────────────── told ──────── task ─ tasks/get ─ tasks/cancel
  // tab B       waits ─ cancel() ─ tells ▪ closed
  it('[DUR-97] has the task of the other one cancelled once there is one', async () => {
    const { made, second } = await cancelInSecond(start)
    await server.advance(100)
    second.page.close()
    expect(made.getState()).toMatchObject({ phase: 'calling', isCancelling: true, cancelStatus: 'sending' })
    await server.advance(10_000)
    expect(made.getState()).toMatchObject({ phase: 'cancelled' })
    expect([server.count('tools/call'), server.count('tasks/cancel')]).toEqual([1, 1])
  })

  it('[DUR-97] leaves a result that the server gives at once as it is', async () => {
    const echo = ({ client }: Tab) => client.startToolCall({ name: 'echo', arguments: { text: 'x' } }, { key: 'e' })
    const { made, call } = await cancelInSecond(echo)
    await server.advance(5000)
    for (const { getState } of [made, call]) expect(getState()).toMatchObject({ phase: 'completed' })
  })

  it('[DUR-97] sends nothing again whose response is lost', async () => {
    const { made } = await cancelInSecond(start, () =>
      server.faults.drop({ method: 'tools/call', times: 1, lose: 'response' }),
    )
    await server.advance(10_000)
    expect(made.getState()).toMatchObject({ phase: 'cancelled' })
    expect(server.count('tools/call')).toBe(1)
  })
})

describe('cancel() in a tab that is gone before the server has taken it', () => {
  // tab A  calls ──────── cancel() ─ tasks/cancel ── 503 ▪ closed
  // tab B       follows ─────────── told: wanted ──────────── tasks/get ── working ▪ tasks/cancel
  it.each(['calls', 'follows'] as const)(
    '[DUR-100] is sent by the other one, where the one that %s is gone',
    async (gone) => {
      const tabs = [openTab(), openTab()]
      const calls = []
      for (const tab of tabs) {
        calls.push(start(tab))
        await server.advance(1500)
      }
      const [closed, left] = gone === 'calls' ? [0, 1] : [1, 0]
      server.faults.status(503, { method: 'tasks/cancel' })
      void calls[closed]?.cancel().catch(() => {})
      await server.advance(500)
      tabs[closed]?.page.close()
      server.faults.clear()
      await server.advance(10_000)
      expect(calls[left]?.getState()).toMatchObject({ phase: 'cancelled' })
      expect(server.count('tools/call')).toBe(1)
    },
  )
})

describe('cancel() that the server has taken', () => {
  it('[DUR-100] is not sent again by a reload', async () => {
    const tab = openTab()
    const call = start(tab)
    await server.advance(1500)
    server.faults.delay(60_000, { method: 'tasks/get' })
    await Promise.all([call.cancel(), server.advance(500)])
    const next = openTab(await tab.page.reload())
    await Promise.all([next.client.resumeToolCalls(), server.advance(500)])
    expect(next.client.getToolCallState(call.callId)).toMatchObject({ isCancelling: true, cancelStatus: 'requested' })
    expect(server.count('tasks/cancel')).toBe(1)
  })

  it('[DUR-100] is followed to its end, also where nobody waits for the call', async () => {
    const tab = openTab(undefined, { resume: 'lazy' })
    const call = start(tab)
    await server.advance(1500)
    call.detach()
    await server.advance(100)
    await Promise.all([tab.client.getToolCall(call.callId)?.cancel(), server.advance(5000)])
    expect(tab.client.getToolCallState(call.callId)?.phase).toBe('cancelled')
  })
})

describe('a call that was cancelled before it had a task', () => {
  const WORK = { name: 'work', arguments: { seconds: 60 } }

  /** The page in which it was cancelled, half a second after its `tools/call`, which the server answers late. */
  async function cancelled(options: Parameters<typeof createWorkServer>[0] = {}): Promise<Tab> {
    server = createWorkServer(options)
    const tab = openTab()
    server.faults.delay(60_000, { method: 'tools/call', times: 1 })
    const call = start(tab)
    await server.advance(500)
    await call.cancel()
    await server.advance(0)
    expect(call.getState().phase).toBe('cancelled')
    return tab
  }

  it.each([true, false])(
    '[DUR-101] stays cancelled after a reload, and in another tab (a server that knows keys: %s)',
    async (idempotentCalls) => {
      const before = await cancelled({ idempotentCalls })
      const other = start(openTab())
      const again = start(openTab(await before.page.reload()))
      await server.advance(10_000)
      for (const call of [other, again])
        expect(call.getState()).toMatchObject({ phase: 'cancelled', error: { name: 'TaskCancelledError' } })
      expect(server.count('tools/call')).toBe(1)
    },
  )

  it('[DUR-101] is listed as cancelled, and stays so when the page makes it', async () => {
    const before = await cancelled()
    const after = openTab(await before.page.reload())
    await after.client.resumeToolCalls()
    await server.advance(1000)
    expect(Object.values(after.client.store.getState().calls)).toMatchObject([{ phase: 'cancelled' }])
    const call = start(after)
    await server.advance(10_000)
    expect(call.getState().phase).toBe('cancelled')
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-101] stays cancelled where that was asked for after one reload, until the next', async () => {
    const first = openTab()
    server.faults.delay(60_000, { method: 'tools/call', times: 1 })
    start(first)
    await server.advance(500)
    const second = openTab(await first.page.reload())
    await cancel(start(second))
    await server.advance(1000)
    const call = start(openTab(await second.page.reload()))
    await server.advance(10_000)
    expect(call.getState().phase).toBe('cancelled')
    expect(server.count('tools/call')).toBe(1)
  })

  it.each([
    ['settled', 1],
    ['always', 2],
  ] as const)("[DUR-101] is made where the app wants it again: repeat: '%s'", async (repeat, keys) => {
    const before = await cancelled()
    const after = openTab(await before.page.reload())
    const again = after.client.startToolCall(WORK, { key: 'k', repeat })
    await server.advance(1500)
    expect(again.getState().phase).toBe('working')
    const sent = server.requests.filter(({ method }) => method === 'tools/call')
    const sentKeys = sent.map(({ params }) => Object(params['_meta'])['dev.taskwire/idempotencyKey'])
    expect(sent).toHaveLength(2)
    expect(new Set(sentKeys).size).toBe(keys)
    // What has become of it since counts again.
    const next = start(openTab(await after.page.reload()))
    await server.advance(1500)
    expect(next.getState().phase).toBe('working')
  })
})

describe('cancel() that the server refuses', () => {
  it('rejects, and may be dropped: onError and the state of the call have the error', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const onError = vi.fn()
    const tab = openTab(undefined, { onError })
    const call = start(tab)
    await server.advance(1500)
    server.faults.status(400, { method: 'tasks/cancel' })
    void call.cancel()
    void tab.client.toolCalls().cancelAll()
    const refused = call.cancel()
    await server.advance(100)
    await new Promise((resolve) => setTimeout(resolve, 0))
    process.off('unhandledRejection', unhandled)

    expect(unhandled).not.toHaveBeenCalled()
    await expect(refused).rejects.toMatchObject({ status: 400 })
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 400 }), {
      callId: call.callId,
      operation: 'cancel',
    })
    expect(call.getState()).toMatchObject({ isCancelling: false, lastError: { status: 400 } })
  })
})
