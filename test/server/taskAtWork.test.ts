import { expect, it } from 'vitest'
import { untilCollected } from '../support/untilCollected.js'
import { settle } from './support/manualClock.js'
import { rpcRequest } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { slow } from './support/tools.js'

it('keeps neither its request nor the response to it', async () => {
  const t = startServer({ tools: [slow] })

  async function call(): Promise<WeakRef<object>[]> {
    const request = rpcRequest('tools/call', { name: 'slow', arguments: { ms: 60_000 } })
    const response = await t.server.fetch(request)
    expect(await response.json()).toMatchObject({ result: { status: 'working' } })
    return [new WeakRef(request), new WeakRef(response)]
  }

  const kept = await call()
  await settle()
  expect(await untilCollected(kept)).toEqual([])
})
