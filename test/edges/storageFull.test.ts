import type { Environment, TaskClient, TaskStorage, ToolCall, ToolCallOptions } from 'taskwire'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const LONG = { seconds: 60, quiet: true }

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
  server.browser.storage.local.setItem = () => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
  }
})

/** `mayPost`: asked with each message to other tabs. */
function openTab(mayPost = () => true): { page: SimulatedPage; client: TaskClient } {
  const page = server.browser.openPage()
  const channel: Environment['channel'] = (name) => {
    const open = page.environment.channel?.(name)
    if (open === undefined) throw new Error('A simulated page has channels.')
    const postMessage = (message: unknown) => {
      if (mayPost()) open.postMessage(message)
    }
    return { ...open, postMessage }
  }
  const environment = { ...page.environment, channel }
  return { page, client: createTaskClient({ url: server.url, environment }) }
}

function start(client: TaskClient, args: object = LONG, options: Pick<ToolCallOptions, 'repeat'> = {}): ToolCall {
  const call = client.startToolCall({ name: 'work', arguments: { ...args } }, { key: 'report', ...options })
  call.result.catch(() => {})
  return call
}

/** A tab with a call that its storage has refused. */
async function withCall(args?: object): Promise<{ page: SimulatedPage; call: ToolCall }> {
  const { page, client } = openTab()
  const call = start(client, args)
  await server.advance(20 * SECOND)
  return { page, call }
}

describe('a call with a key that a full storage refuses', () => {
  it('[DUR-102] is made once by two tabs, of which the second opens later', async () => {
    const { call } = await withCall()
    const second = start(openTab().client)
    await server.advance(SECOND)
    expect(second.getState()).toMatchObject({ phase: 'working', task: { taskId: call.getState().task?.taskId } })
    await server.advance(MINUTE)
    expect(await second.result).toEqual(await call.result)
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-102] has the result that another tab has, and is not made again', async () => {
    const { call } = await withCall({ seconds: 2 })
    const second = start(openTab().client, { seconds: 2 })
    await server.advance(5 * SECOND)
    expect(await second.result).toEqual(await call.result)
    expect(server.count('tools/call')).toBe(1)
  })

  it('is made where no other tab knows of it', async () => {
    openTab()
    const call = start(openTab().client)
    await server.advance(SECOND)
    expect(call.getState()).toMatchObject({ phase: 'working' })
    expect(server.count('tools/call')).toBe(1)
  })

  it('is made again where that is wanted, whatever other tabs say', async () => {
    await withCall()
    const second = start(openTab().client, LONG, { repeat: 'always' })
    await server.advance(SECOND)
    expect(second.getState()).toMatchObject({ phase: 'working' })
    expect(server.count('tools/call')).toBe(2)
  })

  // storage  task 1, full
  // tab 1              ─ task 2 ── told of task 3: it is the later one
  // tab 2              ─ task 3 ── told of task 2: stays
  it('is followed by all tabs in the run that was made last, where that of before cannot be replaced', async () => {
    const { setItem } = server.browser.storage.local
    server = createWorkServer()
    let posted = 0
    const count = () => {
      posted += 1
      return posted < 200
    }
    const tabs = [openTab(count), openTab(count)]
    start(tabs[0]?.client as TaskClient)
    await server.advance(SECOND)
    server.browser.storage.local.setItem = setItem
    const calls = tabs.map(({ client }) => start(client, LONG, { repeat: 'always' }))
    await server.advance(5 * SECOND)
    expect(posted).toBeLessThan(200)
    expect(server.count('tools/call')).toBe(3)
    const [first, second] = tabs.map(({ client }, at) => client.getToolCallState(calls[at]?.callId ?? '')?.task?.taskId)
    expect(first).toBeDefined()
    expect(second).toBe(first)
  })

  it('is never sent if it is cancelled while other tabs are asked', async () => {
    const { client } = openTab()
    await Promise.all([client.connect(), server.advance(SECOND)])
    const call = start(client)
    await server.advance(50)
    const cancelled = call.cancel()
    await server.advance(SECOND)
    await cancelled
    expect(call.getState()).toMatchObject({ phase: 'cancelled' })
    expect(server.count('tools/call')).toBe(0)
  })

  it('is observed as sent once', async () => {
    const { client } = openTab()
    const types: string[] = []
    client.observe(({ type }) => types.push(type))
    await vi.dynamicImportSettled()
    await Promise.all([client.connect(), server.advance(SECOND)])
    start(client)
    await server.advance(2 * SECOND)
    expect(server.count('tools/call')).toBe(1)
    expect(types.filter((type) => type === 'call-sent')).toHaveLength(1)
  })
})

describe('a call with a key that a slow storage', () => {
  /** A storage that does one thing after the other, and takes as long to write. */
  function slowStorage(
    { environment }: SimulatedPage,
    items: Map<string, string>,
    ms: number,
    error?: Error,
  ): TaskStorage {
    let last: Promise<unknown> = Promise.resolve()
    const inLine = (action: () => void, waitMs = 0): Promise<void> => {
      const next = last.then(async () => {
        if (waitMs > 0) await new Promise<void>((resolve) => environment.setTimeout(() => resolve(), waitMs))
        action()
      })
      last = next.catch(() => {})
      return next
    }
    const write = (key: string, value: string) => {
      if (error !== undefined) throw error
      items.set(key, value)
    }
    return {
      getItem: async (key) => items.get(key),
      setItem: (key, value) => inLine(() => write(key, value), ms),
      removeItem: (key) => inLine(() => items.delete(key)),
      keys: async () => [...items.keys()],
    }
  }

  function openSlow(ms: number, items = new Map<string, string>(), error?: Error): TaskClient {
    const page = server.browser.openPage()
    const storage = slowStorage(page, items, ms, error)
    return createTaskClient({ url: server.url, environment: page.environment, storage })
  }

  it('refuses is cancelled by its user meanwhile, whatever another tab has made of it', async () => {
    const full = new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    start(openSlow(50, undefined, full))
    await server.advance(3 * SECOND)
    const client = openSlow(50, undefined, full)
    await Promise.all([client.connect(), server.advance(SECOND)])
    const call = start(client)
    await server.advance(20)
    const cancelled = call.cancel()
    await server.advance(5 * SECOND)
    await cancelled
    expect(call.getState()).toMatchObject({ phase: 'cancelled' })
    expect(server.count('tools/call')).toBe(1)
  })

  // write ──────────── 5 s: counts as refused ─ asks 0.1 s ──── 6 s: is there all the same, and is removed
  //          3 s cancel()                  5.05 s cancel()
  it.each([
    ['cancel()', 3000],
    ['cancel()', 5050],
    ['close()', 3000],
    ['close()', 5050],
    ['forget()', 3000],
    ['forget()', 5050],
  ])('has noted too late leaves no record where it was never sent: %s after %i ms', async (what, afterMs) => {
    const items = new Map<string, string>()
    const client = openSlow(6 * SECOND, items)
    await Promise.all([client.connect(), server.advance(SECOND)])
    const call = start(client)
    await server.advance(afterMs)
    const done = what === 'cancel()' ? call.cancel() : what === 'close()' ? client.close() : client.forget()
    await Promise.all([done, server.advance(30 * SECOND)])
    expect(server.count('tools/call')).toBe(0)
    expect([...items]).toEqual([])
    const again = start(openSlow(0, items))
    await server.advance(SECOND)
    expect(again.getState()).toMatchObject({ phase: 'working' })
  })
})
