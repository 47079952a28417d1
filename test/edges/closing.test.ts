import { createSimulatedEnvironment } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { ack, completed, created, createScriptedServer, http, snapshot } from '../support/scriptedServer.js'

const SECOND = 1000

// client  cancel() ─ 503, again in a minute ───────────────────── close()
// server             the task completes all the same
it('A cancellation that is repeated after its call has ended is repeated no longer once the client is closed', async () => {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/cancel', http(503, { headers: { 'retry-after': '60' } }))
  server.on('tasks/get', completed())
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    push: false,
  })
  const call = client.startToolCall({ name: 'report' })
  await page.advance(0.5 * SECOND)
  const cancelled = expect(call.cancel()).rejects.toThrow('This task client is closed.')
  await page.advance(10 * SECOND)
  expect(call.getState().phase).toBe('completed')
  await client.close()
  await cancelled
  await page.advance(0)
  expect(page.pendingTimers()).toBe(0)
  await page.advance(120 * SECOND)
  expect(server.received('tasks/cancel')).toHaveLength(1)
})

const QUESTION = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
}

// client 1  asks a handler, whose dialog is gone ─ close()
// client 2                                                  the same task: asks its handler
it('A handler that never responds keeps no later client of the page from asking its own', async () => {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { go: QUESTION } }))
  server.on('tasks/update', ack)
  const start = (elicitation: () => Promise<{ action: 'accept' }>) => {
    const client = createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch: server.fetch },
      environment: page.environment,
      push: false,
      input: { handlers: { elicitation } },
    })
    client.startToolCall({ name: 'report' }, { key: 'k' }).result.catch(() => {})
    return client
  }
  const first = start(() => new Promise(() => {}))
  await page.advance(2 * SECOND)
  await first.close()
  start(async () => ({ action: 'accept' }))
  await page.advance(5 * SECOND)
  expect(server.received('tasks/update').map(({ params }) => params['inputResponses'])).toEqual([
    { go: { action: 'accept' } },
  ])
})
