import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { settle } from './support/manualClock.js'
import { rpcRequest } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { slow } from './support/tools.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

it('keeps neither its request nor the response to it', async () => {
  const t = startServer({ tools: [slow] })

  async function call(): Promise<WeakRef<object>[]> {
    const request = rpcRequest('tools/call', { name: 'slow', arguments: { ms: 60_000 } })
    const response = await t.server.fetch(request)
    expect(await response.json()).toMatchObject({ result: { status: 'working' } })
    return [new WeakRef(request), new WeakRef(response)]
  }

  const kept = await call()
  for (let round = 0; round < 5 && kept.some((one) => one.deref() !== undefined); round += 1) {
    await settle()
    collectGarbage()
  }
  expect(kept.map((one) => one.deref())).toEqual([undefined, undefined])
})
