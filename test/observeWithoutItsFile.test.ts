import { expect, it, vi } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

let isThere = false
vi.mock('../src/core/client/observe/observer.js', async (original) => {
  if (!isThere) throw new Error('Failed to fetch dynamically imported module')
  return original()
})

it('observe() reports a file that the page does not get, keeps nothing for it, and asks for it again', async () => {
  const server = createWorkServer()
  const errors: Error[] = []
  const { environment } = server.browser.openPage()
  const client = createTaskClient({ url: server.url, environment, onError: (error) => errors.push(error) })
  const seen: string[] = []
  client.observe(({ type }) => seen.push(type))
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  const echo = () => Promise.all([client.callTool({ name: 'echo', arguments: { text: 'hi' } }), server.advance(100)])
  await echo()
  expect(seen).toEqual([])
  isThere = true
  client.observe(() => {})
  await vi.waitFor(async () => {
    await echo()
    expect(seen).not.toEqual([])
  })
  client.close()
})
