import { type AuthInfo, acceptedContent, inputRequired, ProtocolError } from '@modelcontextprotocol/server'
import { defineTool, InMemoryTaskStore, type ToolContext } from 'taskwire/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gist, listen, listenInVain, SUBSCRIPTION } from '../server/support/listening.js'
import { settle } from '../server/support/manualClock.js'
import { type Json, TASKS, TASKS_AND_INPUT } from '../server/support/rpc.js'
import { startServer } from '../server/support/serverUnderTest.js'
import { ask, failing, greet, required, slow, text } from '../server/support/tools.js'

const tools = [ask, failing, greet, required, slow]
const nothing = { capabilities: {} }
const TASK_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']
const form = { message: 'Name?', requestedSchema: z.object({ name: z.string() }) }
const accept = { action: 'accept', content: { name: 'Luca' } }

/** A server with one tool, `it`, that does this. */
function startWith(work: (context: ToolContext) => Promise<unknown>) {
  const handler = async (_: unknown, context: ToolContext) => text(JSON.stringify((await work(context)) ?? null))
  return startServer({ tools: [defineTool({ ...slow, name: 'it', handler })] })
}

describe('a call', () => {
  it('[SERVER-TASK-DECLARED] becomes no task where the call does not declare the extension, though one before it did', async () => {
    const t = startServer({ tools })
    await t.start('slow')
    const direct = t.call('slow', { ms: 5 }, nothing)
    await settle()
    await t.clock.advance(5)
    expect((await direct).result).toMatchObject(text('done'))
  })

  it('[SERVER-TASK-REQUIRED] of a tool that can only be a task is refused to other clients with what is missing', async () => {
    const { error } = await startServer({ tools }).call('required', {}, nothing)
    const extensions = { 'io.modelcontextprotocol/tasks': {} }
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions } } })
  })

  it('[SERVER-TASK-RESULT-TYPE] [SERVER-TASK-RESULT-TYPE-ELSEWHERE] says "task" where it became one, and nothing else does', async () => {
    const t = startServer({ tools })
    const { result } = await t.call('slow')
    expect(result?.['resultType']).toBe('task')
    const taskId = String(result?.['taskId'])
    for (const method of TASK_METHODS) {
      const answer = await t.rpc(method, { taskId, inputResponses: {} })
      expect(answer.result?.['resultType']).toBe('complete')
    }
    expect((await t.call('greet', { name: 'Ann' })).result?.['resultType']).not.toBe('task')
  })

  it('[SERVER-TASK-DURABLE] is not answered with a task before the store has it', async () => {
    const store = new InMemoryTaskStore()
    const create = store.create.bind(store)
    let stored = () => {}
    store.create = async (record) => {
      await new Promise<void>((resolve) => (stored = resolve))
      await create(record)
    }
    const t = startServer({ tools, store })
    let isAnswered = false
    const answer = t.call('slow').then((it) => {
      isAnswered = true
      return it
    })
    await t.clock.advance(100)
    expect(isAnswered).toBe(false)
    stored()
    const taskId = String((await answer).result?.['taskId'])
    expect(await store.get(taskId)).toBeDefined()
  })

  it('[SERVER-TASK-QUESTIONS-BEFORE] asks what it has to know before the task, with the client waiting', async () => {
    const window = z.object({ hours: z.number() })
    const deploy = defineTool({
      ...slow,
      prepare(_, { inputResponses }) {
        if (acceptedContent(inputResponses, 'window', window) !== undefined) return undefined
        return inputRequired({
          inputRequests: { window: inputRequired.elicit({ message: 'How long?', requestedSchema: window }) },
        })
      },
    })
    const t = startServer({ tools: [deploy] })
    expect((await t.call('slow')).result?.['resultType']).toBe('input_required')
    const inputResponses = { window: { action: 'accept', content: { hours: 1 } } }
    const { result } = await t.rpc('tools/call', { name: 'slow', arguments: {}, inputResponses })
    expect(result?.['resultType']).toBe('task')
  })

  it('[SERVER-CORE-STRUCTURED] never shows a result that does not fit the outputSchema of its tool', async () => {
    const outputSchema = z.object({ total: z.number() })
    const tool = defineTool({ ...slow, outputSchema, handler: async () => ({ ...text('x'), structuredContent: {} }) })
    const t = startServer({ tools: [tool] })
    const task = await t.get(await t.start('slow'))
    expect(task).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(task).not.toHaveProperty('result.structuredContent')
  })
})

describe('tasks/get', () => {
  it('[SERVER-TASK-GET-WORKING] [SERVER-TASK-GET-COMPLETED] tells of the work, then of its result', async () => {
    const t = startServer({ tools })
    const taskId = await t.start('slow', { ms: 10 })
    expect(await t.get(taskId)).toMatchObject({ status: 'working', resultType: 'complete' })
    await t.clock.advance(10)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
  })

  it('[SERVER-TASK-GET-INPUT] tells of every input request that is open', async () => {
    const t = startWith(async ({ elicit, listRoots }) => Promise.all([elicit(form), listRoots()]))
    const taskId = await t.start('it')
    expect(await t.get(taskId)).toMatchObject({
      status: 'input_required',
      inputRequests: { 'elicitation-1': { method: 'elicitation/create' }, 'roots-2': { method: 'roots/list' } },
    })
    await t.update(taskId, { 'elicitation-1': accept })
    const { inputRequests } = await t.get(taskId)
    expect(Object.keys(inputRequests as Json)).toEqual(['roots-2'])
  })

  it('[SERVER-TASK-GET-CANCELLED] tells of a cancellation', async () => {
    const t = startServer({ tools })
    const taskId = await t.start('slow')
    await t.cancel(taskId)
    expect(await t.get(taskId)).toMatchObject({ status: 'cancelled' })
  })

  it('[SERVER-TASK-GET-FAILED] [SERVER-TASK-FAILED-MESSAGE] tells of the error that ended the task, and why in words', async () => {
    const t = startServer({ tools })
    expect(await t.get(await t.start('failing', { how: 'protocol' }))).toMatchObject({
      status: 'failed',
      statusMessage: 'Out of paper',
      error: { code: -32050, message: 'Out of paper', data: { tray: 2 } },
    })
  })

  it('[SERVER-TASK-FAILED-ONLY] calls a task completed whose result has isError', async () => {
    const t = startServer({ tools })
    const task = await t.get(await t.start('failing', { how: 'isError' }))
    expect(task).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  it('[SERVER-TASK-UNKNOWN] is refused for a task that there is not, as is every other method', async () => {
    const t = startServer({ tools })
    for (const method of TASK_METHODS) {
      const { error } = await t.rpc(method, { taskId: 'none', inputResponses: {} })
      expect(error?.code).toBe(-32602)
    }
  })

  it('[SERVER-TASK-METHODS-DECLARED] is refused to clients that do not declare the extension, as is every other method', async () => {
    const t = startServer({ tools })
    const taskId = await t.start('slow')
    for (const method of TASK_METHODS) {
      const { error, status } = await t.rpc(method, { taskId, inputResponses: {} }, nothing)
      expect(error?.code).toBe(-32021)
      expect(status).toBe(400)
    }
  })
})

describe('input requests', () => {
  it('[SERVER-TASK-INPUT-KEYS] have keys of their own, also where the same is asked again', async () => {
    const t = startWith(async ({ elicit }) => [await elicit(form), await elicit(form)])
    const taskId = await t.start('it')
    const keys: string[] = []
    for (let round = 0; round < 2; round += 1) {
      const [key = ''] = Object.keys((await t.get(taskId))['inputRequests'] as Json)
      keys.push(key)
      await t.update(taskId, { [key]: accept })
    }
    expect(new Set(keys).size).toBe(2)
  })

  it('[SERVER-TASK-INPUT-UNKNOWN] [SERVER-TASK-UPDATE-ACK] that are not open take no responses, and nobody is told', async () => {
    const t = startWith(async ({ elicit }) => elicit(form))
    const taskId = await t.start('it')
    await t.get(taskId)
    const { result } = await t.update(taskId, { 'never-asked': accept })
    const { _meta, ...rest } = result ?? {}
    expect(rest).toEqual({ resultType: 'complete' })
    expect(await t.get(taskId)).toMatchObject({ status: 'input_required' })
  })

  it('[SERVER-TASK-CANCEL-ACK] that are open end with a cancellation, which is acknowledged', async () => {
    const t = startWith(async ({ elicit }) => elicit(form))
    const taskId = await t.start('it')
    const { _meta, ...rest } = (await t.cancel(taskId)).result ?? {}
    expect(rest).toEqual({ resultType: 'complete' })
    expect(await t.get(taskId)).toMatchObject({ status: 'cancelled' })
  })

  const url = { mode: 'url' as const, message: 'Sign in', url: 'https://example.com' }
  const sampling = { messages: [], maxTokens: 1 }
  const withTools = { ...sampling, tools: [{ name: 'look', inputSchema: { type: 'object' as const } }] }
  it.each<[string, Json, Json, (context: ToolContext) => Promise<unknown>]>([
    ['a form to a client that declares no elicitation', {}, { elicitation: {} }, async ({ elicit }) => elicit(form)],
    [
      'a form to a client that declares links only',
      { elicitation: { url: {} } },
      { elicitation: { form: {} } },
      async ({ elicit }) => elicit(form),
    ],
    [
      'a link to a client that declares forms',
      { elicitation: {} },
      { elicitation: { url: {} } },
      async ({ elicit }) => elicit(url),
    ],
    ['sampling', {}, { sampling: {} }, async ({ sample }) => sample(sampling)],
    ['sampling with tools', { sampling: {} }, { sampling: { tools: {} } }, async ({ sample }) => sample(withTools)],
    ['roots', {}, { roots: {} }, async ({ listRoots }) => listRoots()],
  ])(
    '[SERVER-CORE-INPUT-DECLARED] [SERVER-CORE-CAPABILITY-MISSING] do not ask for %s',
    async (_, declared, requiredCapabilities, work) => {
      const t = startWith(work)
      const taskId = await t.start('it', {}, { capabilities: { ...TASKS, ...declared } })
      // Who polls may declare more than the client that made the call.
      expect(await t.get(taskId)).toMatchObject({
        status: 'failed',
        error: { code: -32021, data: { requiredCapabilities } },
      })
    },
  )

  it.each<[string, Json, (context: ToolContext) => Promise<unknown>]>([
    ['a form', { elicitation: {} }, async ({ elicit }) => elicit(form)],
    ['a link', { elicitation: { url: {} } }, async ({ elicit }) => elicit(url)],
    ['sampling with tools', { sampling: { tools: {} } }, async ({ sample }) => sample(withTools)],
    ['roots', { roots: {} }, async ({ listRoots }) => listRoots()],
  ])('[SERVER-CORE-INPUT-DECLARED] ask for %s where it is declared', async (_, declared, work) => {
    const t = startWith(work)
    const taskId = await t.start('it', {}, { capabilities: { ...TASKS, ...declared } })
    expect(await t.get(taskId)).toMatchObject({ status: 'input_required' })
  })

  it('[SERVER-CORE-CAPABILITY-MISSING] that the client does not answer can be done without by a tool that looks', async () => {
    const tool = defineTool({
      ...slow,
      name: 'it',
      async handler(_, { elicit, clientCapabilities }) {
        if (clientCapabilities.elicitation === undefined) return text('took the default')
        return text(JSON.stringify(await elicit(form)))
      },
    })
    const t = startServer({ tools: [tool] })
    const done = await t.get(await t.start('it', {}, { capabilities: TASKS }))
    expect(done).toMatchObject({ status: 'completed', result: text('took the default') })
    const asked = await t.get(await t.start('it', {}, { capabilities: TASKS_AND_INPUT }))
    expect(asked).toMatchObject({ status: 'input_required' })
  })

  it('[SERVER-CORE-INPUT-VALIDATED] take no response that does not fit their schema', async () => {
    const t = startWith(async ({ elicit }) => elicit(form))
    const taskId = await t.start('it')
    await t.get(taskId)
    const { error } = await t.update(taskId, { 'elicitation-1': { action: 'accept', content: { name: 7 } } })
    expect(error?.code).toBe(-32602)
    expect(await t.get(taskId)).toMatchObject({ status: 'input_required' })
  })
})

describe('a stream', () => {
  it('[SERVER-TASK-LISTEN-DECLARED] of tasks is refused to clients that do not declare the extension', async () => {
    const { error } = await listenInVain(startServer({ tools }), { taskIds: ['x'] }, nothing)
    expect(error?.code).toBe(-32021)
  })

  it('[SERVER-CORE-ACKNOWLEDGED-FIRST] [SERVER-CORE-SUBSCRIPTION-ID] [SERVER-CORE-STREAM-ASKED-FOR] [SERVER-TASK-LISTEN-ONLY] of tasks is acknowledged, then tells of them and of nothing else, each time naming itself', async () => {
    const t = startWith(async ({ progress }) => progress('half way'))
    const other = await t.start('it')
    const taskId = await t.start('it', {}, { meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' } })
    const stream = await listen(t, { taskIds: [taskId] })
    t.server.notify.resourceUpdated('file:///unasked')
    const messages = await stream.messages()
    expect(messages.map((message) => gist(message)[0])).toEqual(['subscriptions/acknowledged', 'tasks', 'end'])
    for (const { params } of messages.slice(0, -1)) {
      expect((params as { _meta: Json })._meta[SUBSCRIPTION]).toBeDefined()
    }
    expect(JSON.stringify(messages)).not.toContain(other)
  })
})

describe('who is let in', () => {
  const as = (user: string, extra: Json = { sub: user }) => {
    const authInfo: AuthInfo = { token: `${user} ${Math.random()}`, clientId: 'app', scopes: [], extra }
    return { authInfo }
  }

  it('[SERVER-TASK-AUTH] keeps the tasks of a user from other users without an option `owner`, whatever the request', async () => {
    const t = startServer({ tools })
    const taskId = await t.start('slow', {}, as('ann'))
    for (const other of [as('bob'), as('eve', {}), {}, as('ann', { sub: 'ann', iss: 'https://other.example' })]) {
      for (const method of TASK_METHODS) {
        const { error } = await t.rpc(method, { taskId, inputResponses: {} }, other)
        expect(error?.code).toBe(-32602)
      }
      const stream = await listen(t, { taskIds: [taskId] }, other)
      expect(JSON.stringify(await stream.messages())).not.toContain(taskId)
    }
    // With another token of the same user.
    expect(await t.get(taskId, as('ann'))).toMatchObject({ status: 'working' })
  })

  it('[SERVER-TASK-AUTH] keeps the tasks of a client from other clients where tokens name no user', async () => {
    const t = startServer({ tools })
    const client = (clientId: string) => ({ authInfo: { token: clientId, clientId, scopes: [] } })
    const taskId = await t.start('slow', {}, client('one'))
    expect((await t.rpc('tasks/cancel', { taskId }, client('two'))).error?.code).toBe(-32602)
    expect(await t.get(taskId, client('one'))).toMatchObject({ status: 'working' })
  })

  it('[SERVER-TASK-ID] gives ids of 144 random bits', async () => {
    const t = startServer({ tools })
    const ids = await Promise.all(Array.from({ length: 50 }, () => t.start('slow')))
    expect(new Set(ids).size).toBe(50)
    for (const id of ids) expect(id).toMatch(/^[\w-]{24}$/)
  })
})

describe('requests', () => {
  it('[SERVER-CORE-METHOD-UNKNOWN] of a method that there is not are answered with 404', async () => {
    const { status, error } = await startServer({ tools }).rpc('tasks/list', {})
    expect([status, error?.code]).toEqual([404, -32601])
  })

  it('[SERVER-CORE-HEADERS] whose headers and body disagree are refused', async () => {
    const t = startServer({ tools })
    const { error } = await t.rpc('tasks/get', { taskId: 'one' }, { headers: { 'mcp-name': 'two' } })
    expect(error?.code).toBe(-32020)
  })
})

describe('a server that has tasks of another make', () => {
  it('is refused where the capabilities declare the extension', () => {
    const serverOptions = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
    expect(() => startServer({ tools, serverOptions })).toThrow('Leave it out: this server declares and serves it.')
  })

  it.each(['a method', 'the extension'])('is refused where setup adds %s', async (what) => {
    const t = startServer({
      tools,
      setup({ server }) {
        if (what === 'a method') {
          const params = z.object({})
          server.setRequestHandler('tasks/get', { params }, () => {
            throw new ProtocolError(-32603, 'never')
          })
        } else server.registerCapabilities({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
      },
    })
    expect((await t.call('greet', { name: 'Ann' })).error?.code).toBe(-32603)
    expect(t.errors[0]?.error).toMatchObject({ name: 'TaskConfigurationError' })
    expect(String(t.errors[0]?.error)).toContain('Leave that out: this server serves it')
  })
})
