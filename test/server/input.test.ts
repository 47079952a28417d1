import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { defineTool } from '../../src/server/tools/defineTool.js'
import { startServer } from './support/serverUnderTest.js'
import { ask, text } from './support/tools.js'

const schema = z.object({ name: z.string() })
const accept = (name: string) => ({ action: 'accept', content: { name } })

const askAtOnce = defineTool({
  ...ask,
  name: 'askAtOnce',
  async handler(_, { elicit, sample, listRoots }) {
    const answers = await Promise.all([
      elicit({ message: 'Name?', requestedSchema: schema }),
      sample({ messages: [], maxTokens: 10 }),
      listRoots(),
    ])
    return text(JSON.stringify(answers))
  },
})

describe('input requests of a task', () => {
  it('stand in input_required until they are answered, and the tool gets the response as it came', async () => {
    const { start, get, update } = startServer({ tools: [ask] })
    const taskId = await start('ask')
    expect(await get(taskId)).toMatchObject({
      resultType: 'complete',
      status: 'input_required',
      inputRequests: {
        'elicitation-1': {
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Name 1?', requestedSchema: { properties: { name: { type: 'string' } } } },
        },
      },
    })
    expect((await update(taskId, { 'elicitation-1': accept('Luca') })).result).toEqual({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
    })
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text(JSON.stringify([accept('Luca')])) })
  })

  it.each(['decline', 'cancel'])('hand the tool a %s as a response like any other', async (action) => {
    const { start, get, update } = startServer({ tools: [ask] })
    const taskId = await start('ask')
    await get(taskId)
    await update(taskId, { 'elicitation-1': { action } })
    expect(await get(taskId)).toMatchObject({ result: text(JSON.stringify([{ action }])) })
  })

  it('never use a key twice, and each shows only while it is open', async () => {
    const { start, get, update } = startServer({ tools: [ask] })
    const taskId = await start('ask', { times: 2 })
    const first = await get(taskId)
    await update(taskId, { 'elicitation-1': accept('A') })
    const second = await get(taskId)
    expect([first, second].map((task) => Object.keys(task['inputRequests'] as object))).toEqual([
      ['elicitation-1'],
      ['elicitation-2'],
    ])
    await update(taskId, { 'elicitation-1': accept('again'), 'elicitation-2': accept('B') })
    expect(await get(taskId)).toMatchObject({ result: text(JSON.stringify([accept('A'), accept('B')])) })
  })

  it('can be open together and be answered one by one', async () => {
    const { start, get, update } = startServer({ tools: [askAtOnce] })
    const taskId = await start('askAtOnce')
    const keysOf = async () => Object.keys(((await get(taskId))['inputRequests'] as object) ?? {})
    expect(await keysOf()).toEqual(['elicitation-1', 'sampling-2', 'roots-3'])
    await update(taskId, { 'sampling-2': { model: 'm', role: 'assistant', content: { type: 'text', text: 'hi' } } })
    expect(await get(taskId)).toMatchObject({ status: 'input_required' })
    expect(await keysOf()).toEqual(['elicitation-1', 'roots-3'])
    await update(taskId, { 'roots-3': { roots: [{ uri: 'file:///home' }] } })
    await update(taskId, { 'elicitation-1': accept('Luca') })
    expect(await get(taskId)).toMatchObject({
      status: 'completed',
      result: text(
        JSON.stringify([
          accept('Luca'),
          { model: 'm', role: 'assistant', content: { type: 'text', text: 'hi' } },
          { roots: [{ uri: 'file:///home' }] },
        ]),
      ),
    })
  })

  it('take the first of two responses that arrive together', async () => {
    const { start, get, update } = startServer({ tools: [ask] })
    const taskId = await start('ask')
    await get(taskId)
    const answers = ['A', 'B', 'C'].map((name) => update(taskId, { 'elicitation-1': accept(name) }))
    for (const { result } of await Promise.all(answers)) expect(result).toMatchObject({ resultType: 'complete' })
    expect(await get(taskId)).toMatchObject({ result: text(JSON.stringify([accept('A')])) })
  })

  it('ignore keys that nobody asked under', async () => {
    const { rpc, start, get } = startServer({ tools: [ask] })
    const taskId = await start('ask')
    const before = await get(taskId)
    for (const inputResponses of [
      {},
      { 'elicitation-9': accept('x'), unknown: 'anything' },
      JSON.parse('{"__proto__": {"elicitation-1": {"action": "accept"}}, "constructor": {}}') as object,
    ]) {
      expect((await rpc('tasks/update', { taskId, inputResponses })).result).toMatchObject({ resultType: 'complete' })
    }
    expect(await get(taskId)).toEqual(before)
  })

  it.each([
    [null],
    ['yes'],
    [[]],
    [{}],
    [{ action: 'maybe' }],
    [{ method: 'elicitation/create', result: { action: 'accept' } }],
    [{ action: 'accept', content: 'Luca' }],
  ])('stay open where the response is %j, with -32602', async (answer) => {
    const { start, get, update } = startServer({ tools: [ask] })
    const taskId = await start('ask')
    const before = await get(taskId)
    const { status, error } = await update(taskId, { 'elicitation-1': answer })
    expect({ status, code: error?.code }).toEqual({ status: 200, code: -32602 })
    expect(error?.message).toBe(
      'Invalid params: params.inputResponses.elicitation-1 does not answer elicitation/create',
    )
    expect(await get(taskId)).toEqual(before)
  })

  it.each([[undefined], [null], ['text'], [[accept('x')]], [5]])(
    'cannot be answered by %j, with -32602',
    async (inputResponses) => {
      const { start, get, update } = startServer({ tools: [ask] })
      const taskId = await start('ask')
      await get(taskId)
      expect((await update(taskId, inputResponses)).error).toMatchObject({
        code: -32602,
        message: 'Invalid params: params.inputResponses is not an object',
      })
    },
  )

  it('can be answered through another server of the process on the same store', async () => {
    const store = new InMemoryTaskStore()
    const here = startServer({ store, tools: [ask] })
    const there = startServer({ store, tools: [ask] })
    const taskId = await here.start('ask')
    expect(await there.get(taskId)).toMatchObject({ status: 'input_required' })
    await there.update(taskId, { 'elicitation-1': accept('Luca') })
    expect(await there.get(taskId)).toMatchObject({ status: 'completed' })
  })
})
