import { expect, onTestFinished, test } from 'vitest'
import { ConnectionBrokenError } from '../../demo/server/killableServer.js'
import { nodeHandler } from '../../demo/server/nodeHandler.js'
import { listen } from '../support/listen.js'

async function serve(fetch: () => Promise<Response>): Promise<string> {
  const { origin, close } = await listen(nodeHandler({ fetch }))
  onTestFinished(close)
  return origin
}

test('a connection breaks without a response where the server is not there', async () => {
  const url = await serve(async () => {
    throw new ConnectionBrokenError()
  })
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('a connection breaks in the middle of a stream whose server is killed', async () => {
  let kill = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('event'))
      kill = () => controller.error(new ConnectionBrokenError())
    },
  })
  const response = await fetch(await serve(async () => new Response(body)))
  const reader = response.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('event')
  kill()
  await expect(reader?.read()).rejects.toThrow('terminated')
})

test('a server that throws anything else answers with an error', async () => {
  const url = await serve(async () => {
    throw new TypeError('broken')
  })
  expect((await fetch(url)).status).toBe(500)
})
