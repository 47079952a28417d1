import { ProtocolError } from '@modelcontextprotocol/server'
import { defineTool, type ToolContext, type ToolDefinition } from 'taskwire/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messageOf, readSse } from '../../src/server/http/sse.js'
import { createCuttableProcess } from '../server/support/cuttableProcess.js'
import { createManualClock, settle } from '../server/support/manualClock.js'
import { type Json, post, type RpcOptions, rpcRequest } from '../server/support/rpc.js'
import { type ServerUnderTest, startServer } from '../server/support/serverUnderTest.js'
import { SharedStore } from '../server/support/silentStore.js'
import { text } from '../server/support/tools.js'

/** What a client declares that knows no tasks, and answers forms. */
const PLAIN: RpcOptions = { capabilities: { elicitation: { form: {} } } }
const TOKEN: RpcOptions = { ...PLAIN, meta: { progressToken: 'p1' } }

const toolOf = (handler: (context: ToolContext) => Promise<unknown>, changes: Partial<ToolDefinition> = {}) =>
  defineTool({
    name: 'work',
    inputSchema: z.object({}),
    taskSupport: 'optional',
    async handler(_, context) {
      const said = await handler(context)
      return text(String(said))
    },
    ...(changes as object),
  })

/** Sends a call, and reads its answer as a stream. */
function send({ server }: ServerUnderTest, options: RpcOptions, params: Json = {}) {
  const client = new AbortController()
  const request = rpcRequest(
    'tools/call',
    { name: 'work', arguments: {}, ...params },
    { ...options, signal: client.signal },
  )
  const frames: string[] = []
  const seen = { type: '', status: 0, isOver: false }
  void (async () => {
    const response = await server.fetch(request)
    seen.type = response.headers.get('content-type') ?? ''
    seen.status = response.status
    if (response.body !== null && seen.type === 'text/event-stream') {
      for await (const frame of readSse(response.body.getReader())) frames.push(frame)
    } else frames.push(`data: ${await response.text()}\n\n`)
    seen.isOver = true
  })()
  return {
    seen,
    hangUp: () => client.abort(),
    comments: () => frames.filter((frame) => frame.startsWith(':')).length,
    messages: () =>
      frames.flatMap((frame): Json[] => {
        const message = messageOf(frame)
        return message === undefined ? [] : [message]
      }),
  }
}

const nameForm = { message: 'Name?', requestedSchema: z.object({ name: z.string() }) }
const accept = { action: 'accept', content: { name: 'Luca' } }

async function askAndSay({ elicit }: ToolContext): Promise<string> {
  const answer = await elicit(nameForm)
  return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action
}

describe('a call of a client without tasks', () => {
  it('[EDGE-48] gets progress where it has sent a token, and then the result on the same stream', async () => {
    const t = startServer({
      tools: [
        toolOf(async ({ progress, sleep }) => {
          await progress(1, 3, 'Asia')
          await sleep(1000)
          await progress(1, 3, 'Asia')
          await progress(2, 3)
          await sleep(1000)
          return 'done'
        }),
      ],
    })
    const call = send(t, TOKEN)
    await settle()
    expect(call.seen).toMatchObject({ type: 'text/event-stream', isOver: false })
    expect(call.messages()).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p1', progress: 1, total: 3, message: 'Asia' },
      },
    ])
    await t.clock.advance(2000)
    expect(call.messages().map(({ method, result }) => method ?? (result as Json)['content'])).toEqual([
      'notifications/progress',
      'notifications/progress',
      text('done').content,
    ])
    expect(call.seen.isOver).toBe(true)
  })

  it('[EDGE-48] gets what is said in words alone, too, under numbers that grow', async () => {
    const tool = toolOf(async ({ progress }) => {
      await progress('Opening')
      await progress('Opening')
      await progress(0, 2, 'Asia')
      await progress(1, 2, 'Asia')
      await progress('Closing')
      await progress(0, 2, 'Europe')
      return 'done'
    })
    const call = send(startServer({ tools: [tool] }), TOKEN)
    await settle()
    const notified = call.messages().flatMap(({ params }) => (params === undefined ? [] : [params as Json]))
    expect(notified.map(({ progress, total, message }) => [progress, total, message])).toEqual([
      [0, undefined, 'Opening'],
      [0.001, 2, 'Asia'],
      [1, 2, 'Asia'],
      [1.001, undefined, 'Closing'],
    ])
  })

  it('[EDGE-48] gets no progress without a token, and JSON where the tool is quick', async () => {
    const t = startServer({ tools: [toolOf(async ({ progress }) => progress(1).then(() => 'done'))] })
    const call = send(t, PLAIN)
    await settle()
    expect(call.seen).toEqual({ type: 'application/json', status: 200, isOver: true })
    expect(t.clock.pending).toBe(0)
  })

  it('[EDGE-48] is kept alive by a comment every 15 s, for as long as the tool takes', async () => {
    const t = startServer({ tools: [toolOf(async ({ sleep }) => sleep(100_000).then(() => 'done'))] })
    const call = send(t, PLAIN)
    await settle()
    await t.clock.advance(14_999)
    expect(call.seen.type).toBe('')
    await t.clock.advance(1)
    expect(call.seen.type).toBe('text/event-stream')
    await t.clock.advance(85_000)
    expect(call.comments()).toBe(6)
    expect(call.messages()).toMatchObject([{ result: text('done') }])
    expect(t.clock.pending).toBe(0)
  })

  it('[EDGE-48] gets code and data of a ProtocolError, also on a stream and by an earlier revision', async () => {
    const tool = toolOf(async ({ progress }) => {
      await progress(1)
      throw new ProtocolError(-32050, 'Out of paper', { tray: 2 })
    })
    const t = startServer({ tools: [tool] })
    const error = { code: -32050, message: 'Out of paper', data: { tray: 2 } }
    const calls = [send(t, PLAIN), send(t, TOKEN)]
    await settle()
    for (const call of calls) expect(call.messages().at(-1)).toMatchObject({ error })
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'work', arguments: {} } }
    const response = await t.server.fetch(post(JSON.stringify(body), { 'mcp-protocol-version': '2025-11-25' }))
    expect(await response.text()).toContain(JSON.stringify({ jsonrpc: '2.0', id: 7, error }))
  })

  it('[EDGE-48] of an earlier revision gets progress, too', async () => {
    const t = startServer({ tools: [toolOf(async ({ progress }) => progress(1, 2).then(() => 'done'))] })
    const params = { name: 'work', arguments: {}, _meta: { progressToken: 5 } }
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params }
    const response = await t.server.fetch(post(JSON.stringify(body), { 'mcp-protocol-version': '2025-11-25' }))
    const answer = await response.text()
    expect(answer).toContain('"params":{"progressToken":5,"progress":1,"total":2}')
    expect(answer).toContain('"text":"done"')
  })

  it('[EDGE-48] aborts the handler where the client hangs up', async () => {
    const reasons: unknown[] = []
    const tool = toolOf(async ({ progress, signal, sleep }) => {
      signal.addEventListener('abort', () => reasons.push(signal.aborted))
      await progress(1)
      await sleep(60_000)
    })
    const t = startServer({ tools: [tool] })
    const call = send(t, TOKEN)
    await settle()
    call.hangUp()
    await settle()
    expect(reasons).toEqual([true])
  })
})

describe('input without a task', () => {
  it.each([
    ['in the same process', false],
    ['in another process', true],
  ])('[EDGE-48] takes another round, answered %s, and the handler runs once', async (_, isOther) => {
    let runs = 0
    const tool = toolOf(async (context) => {
      runs += 1
      return askAndSay(context)
    })
    const [store, clock] = [new SharedStore(), createManualClock()]
    const first = startServer({ tools: [tool], store, clock })
    const second = isOther ? startServer({ tools: [tool], store, clock }) : first
    const { result } = await first.call('work', {}, PLAIN)
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'elicitation-1': { method: 'elicitation/create', params: { message: 'Name?' } } },
    })
    const round = { requestState: result?.['requestState'], inputResponses: { 'elicitation-1': accept } }
    const again = await second.rpc('tools/call', { name: 'work', arguments: {}, ...round }, PLAIN)
    expect(again.result).toMatchObject(text('Hello, Luca!'))
    expect(runs).toBe(1)
    // A round that is repeated, because its answer was lost, gets the same.
    const repeated = await second.rpc('tools/call', { name: 'work', arguments: {}, ...round }, PLAIN)
    expect(repeated.result).toMatchObject(text('Hello, Luca!'))
  })

  it('[EDGE-48] keeps the call open where a response does not fit its form', async () => {
    const t = startServer({ tools: [toolOf(askAndSay)] })
    const { result } = await t.call('work', {}, PLAIN)
    const round = (response: unknown) =>
      t.rpc(
        'tools/call',
        {
          name: 'work',
          arguments: {},
          requestState: result?.['requestState'],
          inputResponses: { 'elicitation-1': response },
        },
        PLAIN,
      )
    expect((await round({ action: 'accept', content: { name: 5 } })).error).toMatchObject({ code: -32602 })
    expect((await round({ action: 'decline' })).result).toMatchObject(text('decline'))
  })

  it('[EDGE-48] is refused with -32021 where the client answers no forms, in words that the tool can catch', async () => {
    const t = startServer({ tools: [toolOf((context) => askAndSay(context).catch(() => 'without a name'))] })
    expect((await t.call('work', {}, { capabilities: {} })).result).toMatchObject(text('without a name'))
  })

  it('[EDGE-48] belongs to its owner, and to its tool', async () => {
    const t = startServer({
      tools: [toolOf(askAndSay), toolOf(askAndSay, { name: 'other' })],
      owner: (request) => request.headers.get('x-user') ?? 'ann',
    })
    const { result } = await t.call('work', {}, PLAIN)
    const round = { arguments: {}, requestState: result?.['requestState'], inputResponses: { 'elicitation-1': accept } }
    const bob = { ...PLAIN, headers: { 'x-user': 'bob' } }
    for (const [name, options] of [
      ['work', bob],
      ['other', PLAIN],
    ] as const) {
      expect((await t.rpc('tools/call', { name, ...round }, options)).error).toMatchObject({ code: -32602 })
    }
    expect((await t.rpc('tools/call', { name: 'work', ...round }, PLAIN)).result).toMatchObject(text('Hello, Luca!'))
  })

  it('[EDGE-48] fails the last round with what the handler throws', async () => {
    const t = startServer({
      tools: [
        toolOf(async ({ elicit }) => {
          await elicit(nameForm)
          throw new ProtocolError(-32050, 'Out of paper', { tray: 2 })
        }),
      ],
    })
    const { result } = await t.call('work', {}, PLAIN)
    const round = { requestState: result?.['requestState'], inputResponses: { 'elicitation-1': accept } }
    const { error } = await t.rpc('tools/call', { name: 'work', arguments: {}, ...round }, PLAIN)
    expect(error).toEqual({ code: -32050, message: 'Out of paper', data: { tray: 2 } })
  })
})

describe('what else a handler can do, with a task or without', () => {
  const EVERY_INPUT: RpcOptions = { capabilities: { sampling: {}, roots: {} } }
  const completion = { role: 'assistant', content: { type: 'text', text: 'Hello!' }, model: 'm' }

  it('[EDGE-48] asks for a completion and for roots, in another round each', async () => {
    const t = startServer({
      tools: [
        toolOf(async ({ sample, listRoots }) => {
          const { model } = await sample({ messages: [], maxTokens: 10 })
          const { roots } = await listRoots()
          return `${model}, ${roots[0]?.uri}`
        }),
      ],
    })
    const round = (from: Json | undefined, inputResponses: Json) =>
      t.rpc(
        'tools/call',
        { name: 'work', arguments: {}, requestState: from?.['requestState'], inputResponses },
        EVERY_INPUT,
      )
    const first = (await t.call('work', {}, EVERY_INPUT)).result
    expect(first?.['inputRequests']).toMatchObject({ 'sampling-1': { method: 'sampling/createMessage' } })
    const second = (await round(first, { 'sampling-1': completion })).result
    expect(second?.['inputRequests']).toMatchObject({ 'roots-2': { method: 'roots/list' } })
    const { result } = await round(second, { 'roots-2': { roots: [{ uri: 'file:///a' }] } })
    expect(result).toMatchObject(text('m, file:///a'))
  })

  it.each([
    ['a task', async (t: ServerUnderTest) => (await t.get(await t.start('work')))['result']],
    ['no task', async (t: ServerUnderTest) => (await t.call('work', {}, PLAIN)).result],
  ])('[EDGE-48] runs a step once under its name, in %s', async (_, resultOf) => {
    const tool = toolOf(async ({ once }) => {
      const receipt = await once('charge', () => 'receipt')
      const again = await once('charge', () => 'another').catch((error: Error) => error.name)
      return [receipt, again]
    })
    expect(await resultOf(startServer({ tools: [tool] }))).toMatchObject(text('receipt,TaskConfigurationError'))
  })

  it('[EDGE-48] has the id of the task, where there is one', async () => {
    const t = startServer({ tools: [toolOf(async ({ taskId }) => taskId ?? 'none')] })
    const taskId = await t.start('work')
    expect((await t.get(taskId))['result']).toMatchObject(text(taskId))
    expect((await t.call('work', {}, PLAIN)).result).toMatchObject(text('none'))
  })

  it('[EDGE-48] keeps the steps of a call that asks, where its process is lost', async () => {
    const charges: number[] = []
    const tool = toolOf(
      async ({ once, elicit }) => {
        const receipt = await once('charge', () => charges.push(1))
        const answer = await elicit(nameForm)
        return `${receipt} ${answer.content?.name}`
      },
      { onOrphan: 'retry' },
    )
    const [store, clock, leaseMs] = [new SharedStore(), createManualClock(), 3000]
    const { kill, ...process } = createCuttableProcess(store, clock)
    const first = startServer({ tools: [tool], ...process, leaseMs })
    const { result } = await first.call('work', {}, PLAIN)
    kill()
    const second = startServer({ tools: [tool], store, clock, leaseMs })
    const round = { requestState: result?.['requestState'], inputResponses: { 'elicitation-1': accept } }
    const answer = second.rpc('tools/call', { name: 'work', arguments: {}, ...round }, PLAIN)
    await settle()
    await clock.advance(2 * leaseMs)
    expect((await answer).result).toMatchObject(text('1 Luca'))
    expect(charges).toEqual([1])
  })

  it.each(['progress', 'elicit', 'sample', 'listRoots', 'once'] as const)(
    '[EDGE-48] names prepare where that calls %s(), which only a handler has',
    async (name) => {
      const prepare = async (_: unknown, context: object) =>
        (context as Record<string, () => Promise<undefined>>)[name]?.()
      const t = startServer({ tools: [toolOf(async () => 'done', { prepare })] })
      expect((await t.call('work', {}, PLAIN)).error).toMatchObject({ code: -32603 })
      expect(String(t.errors[0]?.error)).toContain(`Failed to call ${name}(): \`prepare\` runs before the work begins.`)
    },
  )
})

describe('progress() and elicit() of a task', () => {
  it('[EDGE-48] leave the number where it is for words alone, which replace the message', async () => {
    const t = startServer({
      tools: [
        toolOf(async ({ progress, sleep }) => {
          await progress(1, 2, 'Asia')
          await progress('Closing')
          await sleep(1000)
        }),
      ],
    })
    expect(await t.get(await t.start('work'))).toMatchObject({
      statusMessage: 'Closing',
      _meta: { 'dev.taskwire/progress': { progress: 1, total: 2, message: 'Closing' } },
    })
  })

  it('[EDGE-48] show in its status, as those of a plain call do in the answer', async () => {
    const t = startServer({
      tools: [
        toolOf(async (context) => {
          await context.progress(1, 2, 'Asia')
          return askAndSay(context)
        }),
      ],
    })
    const taskId = await t.start('work')
    expect(await t.get(taskId)).toMatchObject({ status: 'input_required', statusMessage: 'Asia (1 of 2)' })
    await t.update(taskId, { 'elicitation-1': accept })
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('Hello, Luca!') })
  })
})

describe('the tool of the option resultTool', () => {
  const outputSchema = z.object({ total: z.number() })
  const long = (ms: number) =>
    defineTool({
      name: 'work',
      inputSchema: z.object({}),
      outputSchema,
      taskSupport: 'optional',
      async handler(_, { sleep }) {
        await sleep(ms)
        return { ...text('done'), structuredContent: { total: 5 } }
      },
    })
  const handleIn = (result: Json | undefined) =>
    /handle "([^"]+)"/.exec(JSON.stringify(result).replaceAll('\\"', '"'))?.[1]

  it('[EDGE-48] gives a plain caller a handle after so long, and the result by that handle', async () => {
    const t = startServer({ tools: [long(80_000)], resultTool: { afterMs: 30_000 } })
    const answer = send(t, { capabilities: {} })
    await settle()
    await t.clock.advance(30_000)
    const handle = handleIn(await readAnswer(answer))
    expect(handle).toBeTypeOf('string')
    const waiting = send(t, { capabilities: {} }, { name: 'get_result', arguments: { handle } })
    await settle()
    await t.clock.advance(30_000)
    expect(handleIn(await readAnswer(waiting))).toBe(handle)
    const last = send(t, { capabilities: {} }, { name: 'get_result', arguments: { handle } })
    await settle()
    await t.clock.advance(20_000)
    expect(await readAnswer(last)).toMatchObject({ ...text('done'), structuredContent: { total: 5 } })
  })

  it('[EDGE-48] is there for plain callers alone, and a quick tool answers itself', async () => {
    const t = startServer({ tools: [long(1000)], resultTool: { afterMs: 30_000, name: 'wait_for' } })
    const names = async (options: RpcOptions) =>
      toolsIn((await t.rpc('tools/list', {}, options)).result).map(({ name, outputSchema: output }) => [
        name,
        output !== undefined,
      ])
    expect(await names({ capabilities: {} })).toEqual([
      ['work', false],
      ['wait_for', false],
    ])
    expect(await names({})).toEqual([['work', true]])
    const answer = send(t, { capabilities: {} })
    await settle()
    await t.clock.advance(1000)
    expect(await readAnswer(answer)).toMatchObject(text('done'))
    expect((await t.call('wait_for', { handle: 'x' }, { capabilities: {} })).error).toMatchObject({ code: -32602 })
  })

  it('[EDGE-48] gives no handle to a client with tasks, which has no tool for it, where the call is no task', async () => {
    const t = startServer({ tools: [long(80_000)], augment: () => false, resultTool: { afterMs: 30_000 } })
    const answer = send(t, {})
    await settle()
    await t.clock.advance(80_000)
    expect(await readAnswer(answer)).toMatchObject({ ...text('done'), structuredContent: { total: 5 } })
  })

  it('[EDGE-48] gives no handle for a tool that is never a task, also where it has asked for input', async () => {
    const tool = defineTool({
      ...long(0),
      taskSupport: 'forbidden',
      async handler(_, { elicit, sleep }) {
        await elicit(nameForm)
        await sleep(80_000)
        return { ...text('done'), structuredContent: { total: 5 } }
      },
    })
    const t = startServer({ tools: [tool], resultTool: { afterMs: 30_000 } })
    const { result } = await t.call('work', {}, PLAIN)
    const round = { requestState: result?.['requestState'], inputResponses: { 'elicitation-1': accept } }
    const answer = send(t, PLAIN, round)
    await settle()
    await t.clock.advance(80_000)
    expect(await readAnswer(answer)).toMatchObject({ ...text('done'), structuredContent: { total: 5 } })
  })

  it.each([
    ['at once', 0],
    ['by its handle', 80_000],
  ])('[EDGE-48] tells the caller %s that structured content does not fit the schema of the tool', async (_, ms) => {
    const wrong = defineTool({
      ...long(0),
      async handler(_args, { sleep }) {
        await sleep(ms)
        return { ...text('done'), structuredContent: { total: 'five' as unknown as number } }
      },
    })
    const t = startServer({ tools: [wrong], resultTool: { afterMs: 30_000 } })
    const answer = send(t, { capabilities: {} })
    await settle()
    await t.clock.advance(80_000)
    const handle = handleIn(await readAnswer(answer))
    const result =
      handle === undefined
        ? await readAnswer(answer)
        : (await t.call('get_result', { handle }, { capabilities: {} })).result
    expect(result).toMatchObject({ isError: true })
    expect(result).not.toHaveProperty('structuredContent')
    expect(JSON.stringify(result)).toContain('structured content that does not fit its outputSchema')
    expect(t.errors).toMatchObject([{ context: { source: 'tool', tool: 'work' } }])
  })

  const toolsIn = (result: Json | undefined): Json[] => (result?.['tools'] ?? []) as Json[]

  async function readAnswer(answer: ReturnType<typeof send>): Promise<Json | undefined> {
    await settle()
    return answer.messages().at(-1)?.['result'] as Json | undefined
  }
})
