import type { McpServer } from '@modelcontextprotocol/server'
import type { TaskGatewayOptions } from 'taskwire/gateway'
import { describe, expect, it } from 'vitest'
import { settle } from '../server/support/manualClock.js'
import { SharedStore } from '../server/support/silentStore.js'
import { startGateway } from './support.js'

const LEASE_MS = 1000

/** Two gateways over one store, the first of which stands still once its task is there, as if it had been killed. */
function setUp(options: Partial<TaskGatewayOptions> = {}) {
  const store = new SharedStore()
  const runs: string[] = []
  let isGone = false
  const behind = (server: McpServer) => {
    if (isGone) throw new Error('spawn ENOENT')
    for (const [name, readOnlyHint] of [
      ['write', false],
      ['read', true],
    ] as const) {
      server.registerTool(name, { annotations: { readOnlyHint } }, async () => {
        runs.push(name)
        if (runs.filter((run) => run === name).length === 1) await new Promise(() => {})
        return { content: [{ type: 'text', text: 'again' }] }
      })
    }
  }
  const start = () => startGateway(behind, { store, leaseMs: LEASE_MS, tasks: ['write', 'read'], ...options })
  const leave = () => {
    isGone = true
  }
  return { first: start(), second: start(), runs, leave }
}

const byHeader: Partial<TaskGatewayOptions> = {
  authenticate: ({ headers }) => ({
    token: 't',
    clientId: 'page',
    scopes: [],
    extra: { sub: headers.get('authorization') },
  }),
}
const of = (user: string) => ({ headers: { authorization: user } })

describe('a task whose gateway was killed', () => {
  it.each([
    ['read', { status: 'completed', result: { content: [{ text: 'again' }] } }, ['read', 'read']],
    ['write', { status: 'failed', error: { message: expect.stringContaining('may have run in part') } }, ['write']],
  ])('ends by its tool where another gateway finds it, though no page comes: %s', async (name, end, expected) => {
    const { first, second, runs } = setUp()
    const taskId = await first.start(name, {}, 0)
    await settle()
    for (let step = 0; step < 8; step += 1) await second.clock.advance(LEASE_MS)
    expect(await second.get(taskId)).toMatchObject(end)
    expect(runs).toEqual(expected)
    expect(second.started).toHaveLength(1)
  })

  it('may have run in part, also where the next gateway cannot start the server', async () => {
    const { first, second, leave } = setUp()
    const taskId = await first.start('read', {}, 0)
    await second.rpc('tools/list', {})
    leave()
    await second.started[0]?.stop()
    for (let step = 0; step < 8; step += 1) await second.clock.advance(LEASE_MS)
    const message = 'The server behind the gateway cannot be reached. The tool may have run in part.'
    expect(await second.get(taskId)).toMatchObject({ status: 'failed', error: { message } })
  })

  it('waits for its user where the server behind is started for a user alone', async () => {
    const { first, second } = setUp(byHeader)
    const taskId = await first.start('write', {}, 0, of('ann'))
    await settle()
    for (let step = 0; step < 4; step += 1) await second.clock.advance(LEASE_MS)
    await second.rpc('tasks/get', { taskId: 'unknown' }, of('bob'))
    expect(second.started).toEqual([])
    expect(await second.get(taskId, of('ann'))).toMatchObject({ status: 'working' })
    for (let step = 0; step < 4; step += 1) await second.clock.advance(LEASE_MS)
    expect(second.started).toHaveLength(1)
    expect(await second.get(taskId, of('ann'))).toMatchObject({ status: 'failed' })
  })
})
