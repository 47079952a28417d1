import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ToolCallKeyConflictError } from 'taskwire'
import { expect, it } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

const SECOND = 1000
const LONG = { name: 'work', arguments: { seconds: 60 } }
const ECHO = { name: 'echo', arguments: { text: 'a' } }

function setUp() {
  const server = createWorkServer({ browser: { turns: 60 } })
  return { server, backend: createBridgedBackend(server) }
}

/** Two devices of one user. */
function openTwo() {
  const { server, backend } = setUp()
  const [one, two] = [backend.openPage(), backend.openPage(() => 'ada', { crossTab: false })]
  void two.client.connect()
  return { server, one, two }
}

it('a call that a page has joined is not made again by that page after it was forgotten', async () => {
  const { server, one, two } = openTwo()
  one.client.startToolCall(LONG, { key: 'k' })
  await server.advance(3 * SECOND)
  two.network.refuse(1, 3, 'POST')
  const joined = two.client.startToolCall(LONG, { key: 'k' })
  joined.result.catch(() => {})
  await server.advance(100)
  void two.client.forget({ callId: joined.callId })
  await server.advance(20 * SECOND)
  expect(server.count('tools/call')).toBe(1)
  expect(two.client.store.getState().calls).toEqual({})
})

it('a call that a page has joined offline is not made by it where another device forgets it meanwhile', async () => {
  const { server, one, two } = openTwo()
  const call = one.client.startToolCall(LONG, { key: 'k' })
  await server.advance(3 * SECOND)
  two.network.cut()
  await server.advance(SECOND)
  two.client.startToolCall(LONG, { key: 'k' }).result.catch(() => {})
  await Promise.all([one.client.forget({ callId: call.callId }), server.advance(SECOND)])
  two.network.mend()
  await server.advance(20 * SECOND)
  expect(server.count('tools/call')).toBe(1)
  expect(two.client.store.getState().calls).toEqual({})
})

it('a page that joins a call with other arguments is refused', async () => {
  const { server, one, two } = openTwo()
  one.client.startToolCall(LONG, { key: 'k' })
  await server.advance(3 * SECOND)
  const other = two.client.startToolCall({ name: 'work', arguments: { seconds: 61 } }, { key: 'k' })
  const refused = expect(other.result).rejects.toBeInstanceOf(ToolCallKeyConflictError)
  await server.advance(3 * SECOND)
  await refused
  expect(server.count('tools/call')).toBe(1)
})

it('what a page forgets does not hold up its other calls while another device makes that call again', async () => {
  const { server, one, two } = openTwo()
  const first = one.client.startToolCall(ECHO, { key: 'k' })
  await server.advance(3 * SECOND)
  await first.result
  one.network.cut()
  await server.advance(SECOND)
  void one.client.forget({ callId: first.callId })
  server.faults.delay(600 * SECOND, { method: 'tools/call', times: 1 })
  two.client.startToolCall(ECHO, { key: 'k', repeat: 'settled' })
  await server.advance(3 * SECOND)
  one.network.mend()
  await server.advance(30 * SECOND)
  const other = one.client.startToolCall({ name: 'echo', arguments: { text: 'b' } }, { key: 'other' })
  await server.advance(60 * SECOND)
  expect(other.getState().phase).toBe('completed')
})

it('forget() of everything, asked for offline, leaves the run that another device has made since', async () => {
  const { server, one, two } = openTwo()
  const first = one.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  await server.advance(4 * SECOND)
  await first.result
  one.network.cut()
  void one.client.forget()
  await server.advance(SECOND)
  const again = two.client.startToolCall({ name: 'work', arguments: { seconds: 600 } }, { key: 'k', repeat: 'settled' })
  await server.advance(5 * SECOND)
  one.network.mend()
  await server.advance(60 * SECOND)
  expect(again.getState().phase).toBe('working')
  expect(Object.keys(one.client.store.getState().calls)).toHaveLength(1)
})

it('forget() of everything takes along what the page has started just before', async () => {
  const { server, one, two } = openTwo()
  await server.advance(SECOND)
  one.client.startToolCall(LONG, { key: 'k' }).result.catch(() => {})
  void one.client.forget()
  await server.advance(5 * SECOND)
  expect(one.client.store.getState().calls).toEqual({})
  expect(two.client.store.getState().calls).toEqual({})
})

it('a call that was forgotten leaves neither its arguments nor its result in the memory of the backend', async () => {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const make = async (key: string, text: string) => {
    const call = client.startToolCall({ name: 'echo', arguments: { text } }, { key })
    await server.advance(3 * SECOND)
    await call.result
    return call.callId
  }
  const kept: WeakRef<object>[] = []
  await (async () => {
    const callId = await make('k', 'secret'.repeat(1000))
    const [own] = Object.values(backend.clientOf('ada').store.getState().calls)
    kept.push(new WeakRef(own?.arguments as object), new WeakRef(own?.result as object))
    await Promise.all([client.forget({ callId }), server.advance(3 * SECOND)])
  })()
  for (const key of ['1', '2', '3']) await make(key, 'b')
  await server.advance(3600 * SECOND)
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    collect()
  }
  expect(kept.map((ref) => ref.deref())).toEqual([undefined, undefined])
})
