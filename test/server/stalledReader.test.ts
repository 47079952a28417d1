import { defineTool } from 'taskwire/server'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { settle } from './support/manualClock.js'
import { rpcRequest } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { text } from './support/tools.js'

const STEPS = 5000

/** A call that has reported a lot of progress, which nobody has read, and that works until it is told to end. */
async function callThatHasSaidMuch() {
  let end = () => {}
  const told = new Promise<void>((resolve) => {
    end = resolve
  })
  let hasSaidAll = () => {}
  const said = new Promise<void>((resolve) => {
    hasSaidAll = resolve
  })
  const chatty = defineTool({
    name: 'chatty',
    inputSchema: z.object({}),
    taskSupport: 'forbidden',
    async handler(_, { progress }) {
      for (let step = 1; step <= STEPS; step += 1) await progress(step, STEPS, 'x'.repeat(100))
      hasSaidAll()
      await told
      return text('done')
    },
  })
  const { server } = startServer({ tools: [chatty] })
  const params = { name: 'chatty', arguments: {} }
  const response = await server.fetch(rpcRequest('tools/call', params, { meta: { progressToken: 1 } }))
  await said
  return { response, end }
}

it('keeps little progress for a client that does not read, and its result', async () => {
  const { response, end } = await callThatHasSaidMuch()
  end()
  await settle()
  const all = await response.text()
  expect(all).toContain('"text":"done"')
  expect(all.length).toBeLessThan(50_000)
})

it('shows a client that reads again where the call stands', async () => {
  const { response, end } = await callThatHasSaidMuch()
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let read = ''
  while (!read.includes(`"progress":${STEPS}`)) read += decoder.decode((await reader?.read())?.value)
  expect(read).not.toContain('"text":"done"')
  end()
  await reader?.cancel()
})
