import type { TaskClient, ToolCall, ToolCallOptions } from 'taskwire'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
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

function openTab(): { page: SimulatedPage; client: TaskClient } {
  const page = server.browser.openPage()
  return { page, client: createTaskClient({ url: server.url, environment: page.environment }) }
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
})
