import { expect, it } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

it('the record of a call takes less than 700 characters of localStorage, at work and after its end', async () => {
  const server = createWorkServer()
  const client = createTaskClient({ url: server.url, environment: server.environment })
  const { local } = server.browser.storage
  const characters = () => {
    const keys = Array.from({ length: local.length }, (_, index) => local.key(index) ?? '')
    return keys.filter((key) => key.startsWith('taskwire:1:')).map((key) => key.length + `${local.getItem(key)}`.length)
  }
  client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'weekly report' })
  await server.advance(2000)
  expect(characters()).toEqual([expect.any(Number)])
  expect(characters()[0]).toBeLessThan(700)
  await server.advance(10_000)
  expect(characters()).toEqual([expect.any(Number)])
  expect(characters()[0]).toBeLessThan(700)
})
