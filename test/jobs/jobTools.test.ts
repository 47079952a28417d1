import { type TaskClientUrlOptions, TaskRequestError } from 'taskwire'
import { byStatusField, defineJob, type JobDefinition } from 'taskwire/jobs'
import { describe, expect, it } from 'vitest'
import { createTaskClient, itFull } from '../support/anyClient.js'
import {
  created,
  http,
  type Reply,
  result,
  rpcError,
  type ScriptedServer,
  snapshot,
  TASKS,
  unreachable,
} from '../support/scriptedServer.js'
import { createVisits } from '../support/visits.js'
import { isError, string, structured, text, tool } from './jobFixture.js'

const RENDER: JobDefinition = {
  start: 'render',
  status: 'render_status',
  id: 'run_id',
  read: byStatusField('status'),
  intervalMs: 1000,
}

/** A page with one call of `render`, whose status tool answers with these in turn; the last one stays. */
async function rendering(
  answers: [Reply, ...Reply[]],
  definition: Partial<JobDefinition> = {},
  options: Partial<TaskClientUrlOptions> = {},
) {
  const visits = createVisits(createTaskClient, { tools: {} })
  const { server, browser } = visits
  const line = [...answers]
  server.on('tools/list', list(tool('render_status', { run_id: string }, ['run_id'])))
  server.on('tools/call', (request) => {
    const { name } = request.params
    if (name === 'render') return result(structured({ run_id: 'run-12345678' }))(request)
    if (!String(name).endsWith('render_status')) return result(structured({ of: name }))(request)
    return ((line.length > 1 ? line.shift() : line[0]) as Reply)(request)
  })
  const errors: Error[] = []
  const onError = (error: Error) => errors.push(error)
  const visit = visits.open({ jobs: [defineJob({ ...RENDER, ...definition })], onError, ...options })
  const call = visit.client.startToolCall({ name: 'render', arguments: { scene: 'a' } }, { key: 'once' })
  call.result.catch(() => {})
  await browser.settle()
  const calls = (name: string) => server.received('tools/call').filter(({ params }) => params['name'] === name)
  return { ...visits, ...visit, call, errors, calls, polls: () => calls('render_status') }
}

const list = (...tools: object[]) => result({ tools, ttlMs: 0, cacheScope: 'private' })
const working = result(structured({ status: 'running' }))
const done = result(structured({ status: 'done', url: 'https://example.com/a.png' }))
/** The tool `report` becomes a task, and every other one a job. */
function serveBoth(server: ScriptedServer): void {
  const started = result(structured({ run_id: 'run-1', status: 'running' }))
  server.on('tools/call', (request) => (request.params['name'] === 'report' ? created() : started)(request))
  server.on('tasks/get', snapshot())
}

const caught = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: Error) => error,
  )

describe('the record of a job', () => {
  it('names the job as a task id does, and holds no arguments', async () => {
    const { records, start } = await rendering([working])
    expect(records()).toMatchObject([
      { tool: 'render', key: 'once', task: { taskId: 'taskwire:job:render:run-12345678', receivedAt: start } },
    ])
    expect(JSON.stringify(records())).not.toContain('scene')
  })

  it('keeps a number a number, and an id of several arguments whole', async () => {
    const answers: [Reply] = [working]
    const numbered = await rendering(answers, {
      id: () => 12,
      status: { tool: 'render_status', arguments: (id) => ({ id }) },
    })
    await numbered.browser.advance(1000)
    expect(numbered.polls()[0]?.params).toMatchObject({ arguments: { id: 12 } })
    const digits = await rendering(answers, {
      id: () => '12',
      status: { tool: 'render_status', arguments: (id) => ({ id }) },
    })
    await digits.browser.advance(1000)
    expect(digits.polls()[0]?.params).toMatchObject({ arguments: { id: '12' } })
    const several = await rendering(answers, { id: (_, { scene }) => ({ scene, run: 7 }) })
    await several.browser.advance(1000)
    expect(several.polls()[0]?.params).toMatchObject({ arguments: { scene: 'a', run: 7 } })
  })

  it('can be resumed by its id, on another device for instance', async () => {
    const visits = createVisits(createTaskClient, { tools: {} })
    visits.server.on('tools/call', done)
    const { client } = visits.open({ jobs: [defineJob(RENDER)] })
    const call = client.resumeTask({ taskId: 'taskwire:job:render:run-1', name: 'render' })
    await visits.browser.advance(10)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'done' } })
    expect(visits.server.received('tools/call')).toMatchObject([
      { params: { name: 'render_status', arguments: { run_id: 'run-1' } } },
    ])
  })
})

describe('the id of a job is in no error', () => {
  const failed = {
    status: 'failed',
    error: { message: 'run-12345678 broke', of: 'run-12345678' },
    message: 'run-12345678',
  }
  it.each<[string, Reply, Partial<JobDefinition>?]>([
    ['of a tool that is busy', result(isError('GPU of run-12345678 is busy'))],
    ['of a job by several arguments', result(isError('run-12345678 is busy')), { id: nested }],
    ['of a word that nobody knows', result(structured({ status: 'run-12345678' }))],
    ['of a request that the server refuses', rpcError(-32602, 'Run run-12345678 not found')],
    ['of a request that fails', rpcError(-32000, 'run-12345678 is locked')],
    ['of a job that failed', result(structured(failed))],
    ['of a job that was cancelled', result(structured({ status: 'cancelled', message: 'run-12345678 was stopped' }))],
  ])('%s', async (_, reply, definition) => {
    const { browser, call } = await rendering([reply], definition)
    await browser.advance(1010)
    const { error, lastError } = call.getState()
    const shown = error ?? lastError
    expect(shown).toBeInstanceOf(Error)
    expect(shown?.message).toContain('[task]')
    expect(JSON.stringify([shown, shown?.message])).not.toContain('run-12345678')
  })

  function nested() {
    return { ref: { run: 'run-12345678' }, of: null }
  }
})

describe('the polls of a job', () => {
  it('wait as long as the server asks for, and back off while it is not there', async () => {
    const busy = http(503, { headers: { 'retry-after': '20' } })
    const { browser, call, polls } = await rendering([busy, unreachable, done])
    await browser.advance(1010)
    expect(call.getState()).toMatchObject({
      network: 'retrying',
      lastError: { name: 'TaskRequestError', kind: 'http', status: 503, retryAfterMs: 20_000 },
    })
    await browser.advance(19_000)
    expect(polls()).toHaveLength(1)
    await browser.advance(1500)
    expect(polls()).toHaveLength(2)
    expect(call.getState().lastError).toMatchObject({ name: 'TaskRequestError', kind: 'network' })
    await browser.advance(5000)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'done' } })
  })

  it('pause while the page is offline', async () => {
    const { browser, page, call, polls } = await rendering([working, done])
    page.setOnline(false)
    await browser.advance(30_000)
    expect(call.getState().network).toBe('offline')
    expect(polls()).toHaveLength(0)
    page.setOnline(true)
    await browser.advance(5000)
    await expect(call.result).resolves.toBeDefined()
  })

  it('pause while the server asks for credentials, and do not end the call', async () => {
    const { browser, call, client } = await rendering([http(401), done])
    await browser.advance(1010)
    expect(call.getState()).toMatchObject({ network: 'paused', lastError: { kind: 'auth' } })
    expect(client.store.getState().connection.status).toBe('unauthorized')
  })

  it('come when `read` says, where it knows better than intervalMs', async () => {
    const { browser, polls } = await rendering([working], { read: () => ({ status: 'working', pollAfterMs: 4000 }) })
    await browser.advance(9500)
    expect(polls().map(({ at }) => at)).toEqual([1000, 5000, 9000])
  })

  it('end at ttlMs, where the status tool never comes to an end', async () => {
    const { browser, call } = await rendering([working], { ttlMs: 5000 })
    await browser.advance(7000)
    expect(await caught(call.result)).toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
  })

  it('go on without an end where nothing says that there is one', async () => {
    const { browser, call, polls } = await rendering([working])
    await browser.advance(600_000)
    expect(call.getState().phase).toBe('working')
    expect(polls()).toHaveLength(600)
  })

  it('leave alone the stream for tasks, which takes those of the server', async () => {
    const visits = createVisits(createTaskClient, { tools: {}, extensions: { [TASKS]: {} } })
    const { server, browser } = visits
    serveBoth(server)
    const { client } = visits.open({ jobs: [defineJob(RENDER)] })
    client.startToolCall({ name: 'render' }).result.catch(() => {})
    await browser.advance(1000)
    expect(server.received('subscriptions/listen')).toEqual([])
    client.startToolCall({ name: 'report' }).result.catch(() => {})
    await browser.advance(1000)
    expect(server.received('subscriptions/listen')).toMatchObject([
      { params: { notifications: { taskIds: ['task-secret-1'] } } },
    ])
  })
})

describe('a status tool that lies', () => {
  it('says a word that nobody knows: the job is polled on, and the error names the word and the remedy', async () => {
    const { browser, call, errors } = await rendering([result(structured({ status: 'zombie' })), done])
    await browser.advance(1010)
    expect(errors[0]?.message).toBe(
      `The status tool says "zombie" in "status", a word that byStatusField does not know. Say what it means: byStatusField('status', { working: ["zombie"] }).`,
    )
    await browser.advance(60_000)
    await expect(call.result).resolves.toBeDefined()
  })

  it('answers without the field, three times in a row: the call ends, and says what is missing', async () => {
    const { browser, call, polls } = await rendering([result(text('All is well'))])
    await browser.advance(60_000)
    const error = await caught(call.result)
    expect(error.name).toBe('TaskProtocolError')
    expect(error.message).toBe(
      'The answer of "render_status" says nothing about the job: read() of defineJob threw (Error: there is no field "status"). Check `id` and `read` of defineJob against what the tool returns.',
    )
    expect(polls()).toHaveLength(3)
  })

  it.each([
    ['nothing', () => undefined as never],
    ['a status that there is not', () => ({ status: 'sleeping' }) as never],
    ['a result that is none', () => ({ status: 'completed', result: { text: 'a' } }) as never],
    ['questions that are none', () => ({ status: 'input_required', inputRequests: 'why' }) as never],
  ])('where `read` returns %s, the call ends after three answers', async (_, read) => {
    const { browser, call } = await rendering([working], { read })
    await browser.advance(60_000)
    expect(await caught(call.result)).toMatchObject({ name: 'TaskProtocolError' })
    expect((await caught(call.result)).message).toContain('read() of defineJob returned')
  })

  it('fails with isError: the job is polled on, and `onError` has its words without the id', async () => {
    const { browser, call, errors } = await rendering([result(isError('GPU of run-12345678 is busy')), done])
    await browser.advance(1010)
    expect(errors[0]).toMatchObject({ name: 'TaskRequestError', kind: 'server' })
    expect(errors[0]?.message).toBe('"render_status" failed: GPU of [task] is busy')
    await browser.advance(60_000)
    await expect(call.result).resolves.toBeDefined()
  })

  it('fails with isError from the beginning, and again and again: the job is polled on', async () => {
    const busy = Array.from({ length: 15 }, () => result(isError('The database is down')))
    const { browser, call } = await rendering([result(isError('The database is down')), ...busy, done])
    await browser.advance(20 * 60_000)
    expect(call.getState()).toMatchObject({ phase: 'completed' })
  })

  it.each([
    'Unknown error',
    'The token has expired.',
    'getaddrinfo: host db not found',
    'Model flux not found',
    'The operation failed due to an unknown error',
    'The run was refused because the token expired',
    'Job status unknown',
    'Job is running, its output was not found',
    'Unknown image format',
    'No report yet',
    'Run run-12345678 not found yet, try again',
    'No process is free',
    'Tool render_status was not able to reach the GPU',
    'Error executing tool render_status: not connected',
    'Error executing tool render_status: unknown host',
  ])('fails with "%s", which says nothing about the job: the job is polled on', async (words) => {
    const { browser, call } = await rendering([result(isError(words)), done])
    await browser.advance(60_000)
    await expect(call.result).resolves.toBeDefined()
  })

  it.each([
    'Run run-12345678 not found',
    "No job found with id 'run-12345678'",
    'run-12345678 does not exist',
    'Unknown run: run-12345678',
    'Unknown job id',
    'No such job',
    'No job run-12345678 found',
    'Render sunset-model-7 not found',
    'The workflow with id run-12345678 could not be found',
    'The request has expired and is no longer available',
  ])('says with isError that the job is gone, by "%s"', async (words) => {
    const { browser, call } = await rendering([result(isError(words)), done])
    await browser.advance(1010)
    expect(await caught(call.result)).toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
  })

  it('says with isError that the job failed, in its fields: that is believed', async () => {
    const failed = { ...structured({ status: 'failed', error: 'No light' }), isError: true }
    const { browser, call } = await rendering([result(failed)])
    await browser.advance(1010)
    expect(await caught(call.result)).toMatchObject({ name: 'TaskFailedError', message: 'No light', code: -32_000 })
  })

  it('says with isError that the job is done: that is not', async () => {
    const { browser, call } = await rendering([result({ ...structured({ status: 'done' }), isError: true })])
    await browser.advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'retrying' })
  })

  it.each([
    ['a JSON-RPC error', rpcError(-32602, 'Tool render_status not found')],
    ['isError', result(isError('Unknown tool: render_status'))],
  ])('is not there, says the server by %s: the call ends, and names the tool', async (_, reply) => {
    const { browser, call } = await rendering([reply])
    await browser.advance(1010)
    const error = await caught(call.result)
    expect(error.name).toBe('TasksUnsupportedError')
    expect(error.message).toContain(
      `The server has no tool "render_status", by which defineJob({ start: 'render' }) follows its jobs`,
    )
  })

  it.each([
    ['-32602', rpcError(-32602, 'Invalid arguments: job_id is required')],
    [
      'the SDK of TypeScript',
      result(isError('MCP error -32602: Input validation error: Invalid arguments for tool render_status: []')),
    ],
    ['the SDK of Python', result(isError("Input validation error: 'job_id' is a required property"))],
    ['FastMCP', result(isError('1 validation error for call[render_status]\njob_id\n  Missing required argument'))],
  ])('does not take the arguments, says %s: the call ends, and says how to name them', async (_, reply) => {
    const { browser, call } = await rendering([reply])
    await browser.advance(1010)
    const error = await caught(call.result)
    expect(error.name).toBe('TaskConfigurationError')
    expect(error.message).toContain('{ tool, arguments: (id) => ({ … }) }')
  })

  it('knows the job no longer, and says so by -32602', async () => {
    const { browser, call } = await rendering([rpcError(-32602, 'Run run-12345678 not found')])
    await browser.advance(1010)
    expect(await caught(call.result)).toMatchObject({
      name: 'TaskExpiredError',
      message:
        'The server does not know this job of "render" (it says: Run [task] not found). It expired or was lost. Start the call again.',
    })
  })

  it('is not there, and the id has a word in it that its name has, too', async () => {
    const { browser, call } = await rendering([result(isError('Unknown tool: scene_render_status'))], {
      status: { tool: 'scene_render_status', arguments: (id) => ({ id }) },
      id: () => ({ kind: 'render_status', run: 1 }),
    })
    await browser.advance(1010)
    expect((await caught(call.result)).name).toBe('TasksUnsupportedError')
  })

  it('is busy for a time that `read` says by a TaskRequestError: the next poll waits for so long', async () => {
    const read = () => {
      throw new TaskRequestError('Too many', { kind: 'http', status: 429, retryAfterMs: 600_000 })
    }
    const { browser, call, polls } = await rendering([working], { read })
    await browser.advance(500_000)
    expect(call.getState().lastError).toMatchObject({ kind: 'http', status: 429, retryAfterMs: 600_000 })
    expect(polls()).toHaveLength(1)
  })

  it('answers with a task: the job is none of the server’s', async () => {
    const { browser, call } = await rendering([created()])
    await browser.advance(60_000)
    expect((await caught(call.result)).message).toContain('the server made a task of the call')
  })
})

describe('the start tool of a job', () => {
  async function starting(reply: Reply, definition: Partial<JobDefinition> = {}) {
    const visits = createVisits(createTaskClient, { tools: {} })
    visits.server.on('tools/call', reply)
    const { client } = visits.open({ jobs: [defineJob({ ...RENDER, ...definition })] })
    const call = client.startToolCall({ name: 'render' })
    call.result.catch(() => {})
    await visits.browser.settle()
    return { ...visits, call }
  }

  it('that fails is the result of the call', async () => {
    const { call } = await starting(result(isError('No such scene')))
    await expect(call.result).resolves.toMatchObject({ isError: true })
  })

  it('that starts no job, as `id` says, is the result of the call', async () => {
    const { call } = await starting(result(structured({ url: 'a' })), { id: () => undefined })
    await expect(call.result).resolves.toMatchObject({ structuredContent: { url: 'a' } })
  })

  it.each<[string, Partial<JobDefinition>, string]>([
    ['has no id', {}, 'its answer has no field "run_id"'],
    ['has an id that is none', { id: 'list' }, 'the value there is not an id'],
    [
      'has no id for an argument',
      { id: ({ structuredContent: { run_id } }) => ({ run_id }) },
      'the value there is not an id',
    ],
    [
      'makes `id` throw',
      { id: ({ structuredContent }) => structuredContent.a.b },
      'id() of defineJob threw (TypeError',
    ],
  ])('that %s ends the call, and says that the job may run', async (_, definition, says) => {
    const { call } = await starting(result(structured({ list: [] })), definition)
    const error = await caught(call.result)
    expect(error.name).toBe('TaskProtocolError')
    expect(error.message).toContain(says)
    expect(error.message).toContain('The job may run on the server.')
  })

  it('of a server that has tasks by now is a task', async () => {
    const visits = createVisits(createTaskClient)
    visits.server.on('tools/call', created())
    visits.server.on('tasks/get', snapshot({ status: 'completed', result: text('by a task') }))
    const { client } = visits.open({ jobs: [defineJob(RENDER)] })
    const call = client.callTool({ name: 'render' })
    await visits.browser.advance(1010)
    await expect(call).resolves.toEqual(text('by a task'))
  })

  itFull('is not held to its output schema by what comes of the job', async () => {
    const { server, client, call, browser } = await rendering([done])
    const outputSchema = { type: 'object', properties: { run_id: string }, required: ['run_id'] }
    server.on('tools/list', list({ ...tool('render', {}, []), outputSchema }))
    await client.listTools()
    await browser.advance(1010)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'done' } })
  })
})

describe('the arguments of the status tool', () => {
  const byFunction = { id: () => 'run-1' }

  it('are found in its schema where `id` is a function, by listing the tools once', async () => {
    const { browser, server, polls } = await rendering([working], byFunction)
    const before = server.received('tools/list').length
    await browser.advance(3010)
    expect(polls()).toHaveLength(3)
    expect(polls()[2]?.params).toMatchObject({ arguments: { run_id: 'run-1' } })
    expect(server.received('tools/list').length - before).toBeLessThanOrEqual(1)
  })

  it.each([
    [[tool('render_status', { a: string, b: string }, ['a', 'b'])], '"render_status" takes more than one argument'],
    [[tool('render_status', {}, [])], '"render_status" takes no argument'],
    [[], 'names the tool "render_status", which the server does not list'],
  ])('that cannot be found end the call, and say what to write', async (tools, says) => {
    const { browser, server, call } = await rendering([working], byFunction)
    server.on('tools/list', list(...tools))
    await browser.advance(1010)
    const error = await caught(call.result)
    expect(error.name).toBe('TaskConfigurationError')
    expect(error.message).toContain(says)
  })
})

describe('the other tools of a job', () => {
  it.each([
    ['throw', () => (undefined as never)['a'], 'threw (TypeError'],
    ['are none', () => 7 as never, 'returned no object'],
  ])('whose arguments %s end the call, in words', async (_, args, says) => {
    const { browser, call } = await rendering([working], { status: { tool: 'render_status', arguments: args } })
    await browser.advance(1010)
    const error = await caught(call.result)
    expect(error.name).toBe('TaskConfigurationError')
    expect(error.message).toContain(`arguments() of defineJob({ start: 'render' }) ${says}`)
  })

  it('fetch the result, where the status tool has none', async () => {
    const { browser, call, calls } = await rendering([done], { result: 'render_result' })
    await browser.advance(1010)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { of: 'render_result' } })
    expect(calls('render_result')[0]?.params).toMatchObject({ arguments: { run_id: 'run-12345678' } })
  })

  it.each([
    [
      'is not there',
      isError('Unknown tool: render_result'),
      'TasksUnsupportedError',
      'The server has no tool "render_result"',
    ],
    [
      'takes other arguments',
      isError("Input validation error: 'job_id' is a required property"),
      'TaskConfigurationError',
      'The server refuses the arguments',
    ],
  ])('fetch no result by a tool that %s: the call fails, and names it', async (_, said, name, says) => {
    const { browser, server, call } = await rendering([done], { result: 'render_result' })
    server.on('tools/call', (request) => (request.params['name'] === 'render_result' ? result(said) : done)(request))
    await browser.advance(1010)
    expect(await caught(call.result)).toMatchObject({ name, message: expect.stringContaining(says) })
  })

  it('may end the job with a result that is an error', async () => {
    const { browser, server, call } = await rendering([done], { result: 'render_result' })
    server.on('tools/call', (request) =>
      (request.params['name'] === 'render_result' ? result(isError('No light')) : done)(request),
    )
    await browser.advance(1010)
    await expect(call.result).resolves.toMatchObject({ isError: true })
  })

  it('take the response to what the job asks', async () => {
    const params = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } }
    const asks = { q1: { method: 'elicitation/create' as const, params } }
    const { browser, call, calls } = await rendering(
      [working],
      {
        read: () => ({ status: 'input_required', inputRequests: asks as never }),
        respond: { tool: 'answer', arguments: (run_id, responses) => ({ run_id, ...responses }) },
      },
      { capabilities: { elicitation: {} } },
    )
    await browser.advance(1010)
    expect(call.getState().phase).toBe('input_required')
    await call.respond('q1', { action: 'accept', content: {} })
    expect(calls('answer')[0]?.params).toMatchObject({
      arguments: { run_id: 'run-12345678', q1: { action: 'accept' } },
    })
  })

  it('cannot take it where there is none, and the response is refused in words', async () => {
    const params = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } }
    const asks = { q1: { method: 'elicitation/create' as const, params } }
    const { browser, call } = await rendering(
      [working],
      {
        read: () => ({ status: 'input_required', inputRequests: asks as never }),
      },
      { capabilities: { elicitation: {} } },
    )
    await browser.advance(1010)
    const error = await caught(call.respond('q1', { action: 'accept', content: {} }))
    expect(error.message).toContain('its defineJob names no tool that takes the response')
  })

  it('that does not cancel says so, and the call goes on', async () => {
    const { browser, server, call } = await rendering([working], { cancel: 'stop' })
    await browser.advance(1010)
    server.on('tools/call', result(isError('run-12345678 is being written')))
    const error = await caught(call.cancel())
    expect(error.message).toBe('The server did not cancel the job of "render": [task] is being written')
    expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: false })
  })

  it('is not asked for again after a reload, nor shown so in another tab, where the job has no tool for it', async () => {
    const { browser, open, page, call } = await rendering([working])
    const jobs = [defineJob(RENDER)]
    const other = open({ jobs })
    await Promise.all([other.client.resumeToolCalls(), browser.advance(2000)])
    expect(await caught(call.cancel())).toMatchObject({ name: 'TasksUnsupportedError' })
    await browser.advance(2000)
    await page.close()
    const { client } = open({ jobs })
    await Promise.all([client.resumeToolCalls(), browser.advance(2000)])
    const shown = [other.client, client].map(({ getToolCallState }) => getToolCallState(call.callId))
    expect(shown).toMatchObject([{ isCancelling: false }, { isCancelling: false }])
    expect(shown[1]?.lastError).toBeUndefined()
  })
})

describe('a page that has no definition of the job', () => {
  const other = defineJob({ ...RENDER, start: 'bake', status: 'bake_status' })

  async function withForeignTab(jobs: TaskClientUrlOptions['jobs']) {
    const visits = createVisits(createTaskClient, { tools: {} })
    const { server, browser } = visits
    let status = 'running'
    server.on('tools/call', (request) => result(structured({ run_id: 'run-12345678', status }))(request))
    const foreign = visits.open(jobs && { jobs })
    await foreign.client.connect()
    await browser.settle()
    const visit = visits.open({ jobs: [defineJob(RENDER)] })
    const call = visit.client.startToolCall({ name: 'render' }, { key: 'once' })
    call.result.catch(() => {})
    await browser.settle()
    return { ...visits, foreign, visit, call, end: () => (status = 'done') }
  }

  it.each([
    ['no jobs', undefined],
    ['other jobs', [other]],
  ])('leaves it to the tab that has one, where it has %s and the lead', async (_, jobs) => {
    const { browser, server, foreign, call, end } = await withForeignTab(jobs)
    await browser.advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
    end()
    await browser.advance(5000)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'done' } })
    const [seen] = Object.values(foreign.client.store.getState().calls)
    expect(seen).toMatchObject({ phase: 'completed' })
    expect(server.received('tasks/*')).toEqual([])
  })

  it.each([
    ['no jobs', undefined],
    ['other jobs', [other]],
  ])('cannot cancel it, says so, and sends nothing to the server, where it has %s', async (_, jobs) => {
    const { browser, server, foreign, call } = await withForeignTab(jobs)
    await browser.advance(2000)
    const seen = () => Object.values(foreign.client.store.getState().calls)[0]
    const error = await caught(foreign.client.getToolCall(seen()?.callId ?? '')?.cancel() ?? Promise.resolve())
    expect(error).toMatchObject({ name: 'TasksUnsupportedError' })
    expect(error.message).toBe(
      'This page has no defineJob for the job, so it can neither cancel it nor respond to it. A page that has it can.',
    )
    expect(seen()).toMatchObject({ phase: 'working', isCancelling: false })
    const taskId = seen()?.task?.taskId ?? ''
    const answers = { key: { action: 'decline' } }
    expect(await caught(foreign.client.tasks.update(taskId, answers))).toMatchObject({ name: 'TasksUnsupportedError' })
    await browser.advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok', isCancelling: false })
    expect(server.received('tasks/*')).toEqual([])
  })

  it('asks the server to push its tasks, and not the jobs that it follows', async () => {
    const visits = createVisits(createTaskClient)
    const { server, browser } = visits
    serveBoth(server)
    const first = visits.open({ jobs: [defineJob(RENDER)] })
    first.client.startToolCall({ name: 'render' }, { key: 'once' }).result.catch(() => {})
    await browser.advance(1000)
    await first.page.close()
    const { client } = visits.open()
    await Promise.all([client.resumeToolCalls(), browser.advance(5000)])
    expect(server.received('subscriptions/listen')).toEqual([])
    client.startToolCall({ name: 'report' }).result.catch(() => {})
    await browser.advance(1000)
    expect(server.received('subscriptions/listen')).toMatchObject([
      { params: { notifications: { taskIds: ['task-secret-1'] } } },
    ])
  })

  it('keeps the call where it is alone, and a later page ends it', async () => {
    const { browser, server, visit, foreign, end, open } = await withForeignTab(undefined)
    await visit.page.close()
    await browser.advance(60_000)
    const [seen] = Object.values(foreign.client.store.getState().calls)
    expect(seen).toMatchObject({
      network: 'retrying',
      lastError: { message: 'This page has no defineJob for the job.' },
    })
    await foreign.page.close()
    end()
    const { client } = open({ jobs: [defineJob(RENDER)] })
    const call = client.startToolCall({ name: 'render' }, { key: 'once' })
    await browser.advance(60_000)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'done' } })
    expect(server.received('tasks/*')).toEqual([])
  })
})
