import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { createTaskGateway } from 'taskwire/gateway'
import { createTaskServer, type TaskServerOptions } from 'taskwire/server'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { settle } from './support/manualClock.js'
import { readResponse, rpcRequest } from './support/rpc.js'
import { SharedStore } from './support/silentStore.js'
import { slow, text } from './support/tools.js'

// A timer of a platform fires at once where its delay is longer than it can hold.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const SIXTY_DAYS_MS = 60 * 86_400_000

function start(options: Partial<TaskServerOptions>) {
  const server = createTaskServer({ serverInfo: { name: 'test', version: '1' }, tools: [slow], ...options })
  onTestFinished(() => server.close())
  return server
}

const callOf = (ms: number) => rpcRequest('tools/call', { name: 'slow', arguments: { ms } })

it('a call that ends within `afterMs` is no task, also where that is weeks', async () => {
  const server = start({ augment: () => ({ afterMs: SIXTY_DAYS_MS }) })
  const answer = server.fetch(callOf(1000))
  await settle()
  await vi.advanceTimersByTimeAsync(1000)
  expect((await readResponse(await answer)).result).toMatchObject(text('done'))
})

it('leases are renewed four times in `leaseMs`, also where that is months', async () => {
  const store = new SharedStore()
  const lapsed = vi.spyOn(store, 'lapsed')
  start({ store, leaseMs: 4 * SIXTY_DAYS_MS })
  await vi.advanceTimersByTimeAsync(SIXTY_DAYS_MS - 1)
  expect(lapsed).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(SIXTY_DAYS_MS + 1)
  expect(lapsed).toHaveBeenCalledTimes(2)
})

it.each([SIXTY_DAYS_MS, Number.POSITIVE_INFINITY])(
  'a server that closes lets work go on for %s ms',
  async (drainMs) => {
    const server = start({})
    await server.fetch(callOf(1000))
    const closed = vi.fn()
    const closing = server.close({ drainMs }).then(closed)
    await settle()
    await vi.advanceTimersByTimeAsync(999)
    expect(closed).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await closing
    expect(vi.getTimerCount()).toBe(0)
  },
)

it('a gateway keeps the server behind for `idleMs`, also where that is weeks', async () => {
  const closed = vi.fn()
  const gateway = createTaskGateway({
    idleMs: SIXTY_DAYS_MS,
    async transport() {
      const server = new McpServer({ name: 'behind', version: '1' })
      server.registerTool('slow', {}, () => text('done'))
      server.server.onclose = closed
      const [front, behind] = InMemoryTransport.createLinkedPair()
      await server.connect(behind)
      return front
    },
  })
  onTestFinished(() => gateway.close())
  const answer = gateway.fetch(rpcRequest('tools/call', { name: 'slow', arguments: {} }))
  await settle()
  await vi.advanceTimersByTimeAsync(1)
  expect((await readResponse(await answer)).result).toMatchObject(text('done'))
  await vi.advanceTimersByTimeAsync(SIXTY_DAYS_MS - 10_000)
  expect(closed).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(closed).toHaveBeenCalledOnce()
})
