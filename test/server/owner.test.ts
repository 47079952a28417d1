import { describe, expect, it } from 'vitest'
import { startServer } from './support/serverUnderTest.js'
import { slow } from './support/tools.js'

const as = (name: string) => ({ authInfo: { token: name, clientId: name, scopes: [] } })
const owner = (_: Request, authInfo: { clientId: string } | undefined) => authInfo?.clientId ?? 'nobody'
const NOT_FOUND = { code: -32602, message: 'Invalid params: there is no such task; it may have expired' }

describe('owners', () => {
  it("[EDGE-17] cannot tell somebody else's task from none", async () => {
    const { start, rpc, get } = startServer({ tools: [slow], owner })
    const taskId = await start('slow', {}, as('ann'))
    const before = await get(taskId, as('ann'))
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const foreign = await rpc(method, { taskId, inputResponses: {} }, as('bob'))
      const unknown = await rpc(method, { taskId: 'x', inputResponses: {} }, as('bob'))
      expect(foreign.error).toEqual(NOT_FOUND)
      expect([unknown.error, unknown.status]).toEqual([foreign.error, foreign.status])
    }
    expect(await get(taskId, as('ann'))).toEqual(before)
  })

  it('may be told by the request alone', async () => {
    const { start, get, rpc } = startServer({
      tools: [slow],
      owner: async (request) => request.headers.get('authorization') ?? 'a stranger',
    })
    const taskId = await start('slow', {}, { headers: { authorization: 'Bearer ann' } })
    expect(await get(taskId, { headers: { authorization: 'Bearer ann' } })).toMatchObject({ status: 'working' })
    expect((await rpc('tasks/get', { taskId })).error).toEqual(NOT_FOUND)
  })

  it('have so many tasks at work and no more, each on their own', async () => {
    const { clock, call, start, cancel } = startServer({ tools: [slow], owner, maxTasksPerOwner: 2 })
    await start('slow', {}, as('ann'))
    const second = await start('slow', { ms: 9000 }, as('ann'))
    const { status, error } = await call('slow', {}, as('ann'))
    expect({ status, error }).toEqual({
      status: 200,
      error: { code: -32010, message: 'Too many tasks run (2). Wait for one to end, or cancel one.' },
    })
    await start('slow', {}, as('bob'))
    await clock.advance(1000)
    await start('slow', { ms: 9000 }, as('ann'))
    await cancel(second, as('ann'))
    await clock.advance(0)
    await start('slow', {}, as('ann'))
  })

  it('cannot slip past the limit by calling at once', async () => {
    const { call } = startServer({ tools: [slow], maxTasksPerOwner: 3 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('slow')))
    expect(answers.filter(({ result }) => result?.['resultType'] === 'task')).toHaveLength(3)
  })

  it('are not guessed where the option fails', async () => {
    const { call, rpc, errors } = startServer({ tools: [slow], owner: () => undefined as unknown as string })
    expect((await call('slow')).error?.code).toBe(-32603)
    expect((await rpc('tasks/get', { taskId: 'x' })).error).toEqual({ code: -32603, message: 'Internal error' })
    expect(errors.map(({ context }) => context.source)).toEqual(['tool', 'server'])
    expect(String(errors[0]?.error)).toContain('`owner` returned undefined')
  })
})
