import type { TaskStorage } from 'taskwire'
import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { BRIDGE_URL, createBridgedBackend, USER_HEADER } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'
import { replaceable } from './world.js'

it.each([
  ['does not answer', () => new Promise<never>(() => {})],
  ['fails', () => Promise.reject(new Error('The database is away.'))],
])(
  'a page whose backend has a storage that %s is connecting, and shows its calls once it answers',
  async (_how, whileAway) => {
    const server = createWorkServer({ browser: { turns: 60 } })
    const { keys, ...storage } = replaceable(memoryStorage())
    let isAway = false
    const shared = { ...storage, keys: () => (isAway ? whileAway() : keys()) } as TaskStorage
    const backend = createBridgedBackend(server, {}, { storage: shared } as never)
    backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 600 } }, { key: 'k' })
    await server.advance(5000)
    isAway = true
    await backend.restart()
    const { client } = backend.openPage()
    void client.connect()
    await server.advance(60_000)
    expect(client.store.getState()).toMatchObject({ calls: {}, connection: { status: 'connecting' } })
    isAway = false
    await server.advance(10_000)
    expect(client.store.getState()).toMatchObject({ connection: { status: 'connected' } })
    expect(Object.values(client.store.getState().calls)).toMatchObject([{ key: 'k', phase: 'working' }])
  },
)

it('requests of a user whose records cannot be read are refused after a while, and at once where many wait', async () => {
  const server = createWorkServer({ browser: { turns: 60 } })
  const { keys, ...storage } = replaceable(memoryStorage())
  let isAway = true
  const shared = { ...storage, keys: () => (isAway ? new Promise<never>(() => {}) : keys()) } as TaskStorage
  const { bridge } = createBridgedBackend(server, {}, { storage: shared } as never)
  const statuses: number[] = []
  const ask = async () => {
    const { status, headers, body } = await bridge.fetch(new Request(BRIDGE_URL, { headers: { [USER_HEADER]: 'ada' } }))
    void body?.cancel()
    statuses.push(status)
    return headers.get('retry-after')
  }
  const asked = Array.from({ length: 100 }, ask)
  await server.advance(19_000)
  expect(statuses).toEqual([])
  const more = ask()
  await server.advance(0)
  expect([statuses, await more]).toEqual([[503], '5'])
  await server.advance(1000)
  await Promise.all(asked)
  expect(new Set(statuses)).toEqual(new Set([503]))
  isAway = false
  const last = ask()
  await server.advance(10_000)
  await last
  expect(statuses.at(-1)).toBe(200)
})
