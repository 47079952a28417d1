import { ProtocolError } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { listen, listenInVain } from './support/listening.js'
import { startServer } from './support/serverUnderTest.js'
import { SilentStore } from './support/silentStore.js'
import { ask, slow } from './support/tools.js'

const keyed = (key: string) => ({ meta: { 'dev.taskwire/idempotencyKey': key.padEnd(32, '0') } })

describe('a request that is refused for load', () => {
  it('says after how many seconds a call may be sent again: the interval of its tool, rounded up', async () => {
    const t = startServer({ tools: [slow, { ...ask, pollIntervalMs: 2100 }], maxTasksPerOwner: 1 })
    await t.start('slow')
    const refused = [await t.call('slow'), await t.call('ask')]
    expect(refused.map(({ status, error }) => [status, error?.code])).toEqual([
      [200, -32010],
      [200, -32010],
    ])
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '3'])
  })

  it('says it by the load, where the interval depends on that', async () => {
    const t = startServer({ tools: [slow], maxTasks: 3, pollIntervalMs: ({ running }) => 5000 * running })
    for (let count = 0; count < 3; count += 1) await t.start('slow')
    expect((await t.call('slow')).headers.get('retry-after')).toBe('15')
  })

  it('is answered with 429 where the call has a key: its client may send it again, and does not take it for over', async () => {
    const t = startServer({ tools: [slow], maxTasksPerOwner: 1 })
    await t.start('slow', {}, keyed('first'))
    const { status, headers, error } = await t.call('slow', {}, keyed('second'))
    expect([status, headers.get('retry-after'), error?.code]).toEqual([429, '1', -32010])
    await t.clock.advance(1000)
    await t.start('slow', {}, keyed('second'))
  })

  it('says when a stream may be asked for again', async () => {
    const t = startServer({ tools: [ask], maxStreams: 1, pollIntervalMs: 3000 })
    const taskIds = [await t.start('ask')]
    await listen(t, { taskIds })
    expect((await listenInVain(t, { taskIds })).headers.get('retry-after')).toBe('3')
  })

  it('says when to come again where the store does not answer, and where the server is closed', async () => {
    const store = new SilentStore()
    const t = startServer({ tools: [slow], store })
    store.get = () => Promise.reject(new TypeError('gone'))
    const unknown = await t.call('slow', {}, keyed('first'))
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '1'])
    await t.server.close()
    const closed = await t.call('slow')
    expect([closed.status, closed.headers.get('retry-after')]).toEqual([503, '1'])
  })

  it('says nothing of the kind where a tool throws the same code for reasons of its own', async () => {
    const handler = () => {
      throw new ProtocolError(-32010, 'No room on the ship')
    }
    const t = startServer({ tools: [{ ...slow, taskSupport: 'forbidden', handler }] })
    const { status, headers, error } = await t.call('slow', {}, keyed('first'))
    expect([status, headers.get('retry-after'), error?.code]).toEqual([200, null, -32010])
  })
})
