import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskClient, type InputRequest, type TaskClientUrlOptions, TaskProtocolError, withTasks } from 'taskwire'
import { createSimulatedBrowser, createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  type Reply,
  result,
  rpcError,
  type ScriptedServerOptions,
  snapshot,
} from '../support/scriptedServer.js'

const URL_ = 'https://tasks.example/mcp'

function setUp(serverOptions?: ScriptedServerOptions) {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now, ...serverOptions })
  const reported: Error[] = []
  const open = (options: Partial<TaskClientUrlOptions> = {}) =>
    createTaskClient({
      url: URL_,
      transportOptions: { fetch: server.fetch },
      environment: page.environment,
      onError: (error) => reported.push(error),
      ...options,
    })
  server.on('tools/call', created())
  server.on('tasks/update', ack)
  server.on('tasks/cancel', ack)
  return { page, server, reported, open }
}

/** What became of a promise so far. */
function track(promise: Promise<unknown>): { result?: unknown; error?: unknown } {
  const outcome = {}
  promise.then(
    (value) => Object.assign(outcome, { result: value }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  return outcome
}

const form = (properties: Record<string, unknown>, message = 'Sure?'): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties } },
})
const asking = (inputRequests: Record<string, unknown>) => snapshot({ status: 'input_required', inputRequests })

describe('JSON that is nested a hundred thousand levels deep', () => {
  const DEEP = 'a value to be nested'

  /** The same answer with lists within lists in the place of {@link DEEP}. */
  const deep =
    (reply: Reply, levels = 100_000): Reply =>
    async (request) => {
      const response = await reply(request)
      const text = (await response.text()).replace(JSON.stringify(DEEP), '['.repeat(levels) + ']'.repeat(levels))
      return new Response(text, response)
    }
  const done = { content: [{ type: 'text', text: 'done' }] }
  const question = form({ name: { type: 'string', default: DEEP } })

  const snapshots: [what: string, reply: Reply][] = [
    ['a question', asking({ name: question })],
    ['a result', completed({ result: { ...done, structuredContent: DEEP } })],
    ['a failure', snapshot({ status: 'failed', error: { code: 1, message: 'broken', data: DEEP } })],
  ]

  it.each(snapshots)('[EDGE-13] in %s is asked for again, and what comes then counts', async (_, reply) => {
    const { page, server, open } = setUp()
    server.on('tasks/get', deep(reply), deep(reply), completed())
    const outcome = track(open().callTool({ name: 'report' }))
    await page.advance(60_000)
    expect(outcome).toMatchObject({ result: done })
  })

  it.each(snapshots)(
    '[EDGE-13] in %s ends a call as a breach of the protocol where it comes again and again',
    async (_, reply) => {
      const { page, server, open } = setUp()
      server.on('tasks/get', deep(reply))
      const outcome = track(open().callTool({ name: 'report' }))
      await page.advance(60_000)
      expect(outcome.error).toBeInstanceOf(TaskProtocolError)
      expect(server.received('tasks/get')).toHaveLength(3)
    },
  )

  it.each(snapshots)(
    '[EDGE-13] in %s ends a call of withTasks() alone as a breach of the protocol',
    async (_, reply) => {
      const { page, server } = setUp()
      server.on('tasks/get', deep(reply))
      const client = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      const transport = new StreamableHTTPClientTransport(new URL(URL_), { fetch: server.fetch })
      await client.connect(withTasks(transport, { environment: page.environment }))
      const outcome = track(client.callTool({ name: 'report' }))
      await page.advance(60_000)
      expect(outcome.error).toBeInstanceOf(TaskProtocolError)
    },
  )

  const answers: [what: string, reply: Reply][] = [
    ['the result of a call', result({ ...done, structuredContent: DEEP })],
    ['a question before there is a task', result({ resultType: 'input_required', inputRequests: { name: question } })],
  ]

  it.each(answers)(
    '[EDGE-13] in %s ends the call as a breach of the protocol, in the other tabs, too',
    async (_, reply) => {
      const browser = createSimulatedBrowser()
      const server = createScriptedServer({ now: browser.now })
      server.on('tools/call', deep(reply))
      const calls = [browser.openPage(), browser.openPage()].map(({ environment }) =>
        track(
          createTaskClient({ url: URL_, transportOptions: { fetch: server.fetch }, environment }).callTool(
            { name: 'report' },
            { key: 'weekly' },
          ),
        ),
      )
      await browser.advance(60_000)
      for (const { error } of calls) expect(error).toMatchObject({ name: 'TaskProtocolError' })
      expect(server.received('tools/call')).toHaveLength(1)
    },
  )

  it('[EDGE-13] beside a new task is not looked at: the task is followed', async () => {
    const { page, server, open } = setUp()
    server.on('tools/call', deep(created({ _meta: { deep: DEEP } })))
    server.on('tasks/get', completed())
    const outcome = track(open().callTool({ name: 'report' }))
    await page.advance(60_000)
    expect(outcome).toMatchObject({ result: done })
  })

  it.each([-32021, -32602])('[EDGE-13] in the data of the error %d leaves the error what it is', async (code) => {
    const { page, server, open } = setUp()
    server.on('tools/call', deep(rpcError(code, 'no', { data: { why: DEEP } })))
    const outcome = track(open().callTool({ name: 'report' }, { key: 'weekly' }))
    await page.advance(60_000)
    expect(outcome.error).toMatchObject({ name: 'ToolCallRejectedError', code, data: undefined })
  })

  it('[EDGE-13] is what is refused: lists 400 levels deep are a result like any other', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/get', deep(completed({ result: { ...done, structuredContent: DEEP } }), 400))
    const outcome = track(open().callTool({ name: 'report' }, { key: 'weekly' }))
    await page.advance(60_000)
    expect(outcome).toMatchObject({ result: done })
  })
})

describe('the schema of a question', () => {
  const answerOf = async (requestedSchema: Record<string, unknown>, content: Record<string, unknown>) => {
    const { page, server, open } = setUp()
    const request = { method: 'elicitation/create', params: { message: 'Well?', requestedSchema } }
    server.on('tasks/get', asking({ name: request }))
    const call = open().startToolCall({ name: 'report' })
    await page.advance(1000)
    const outcome = track(call.respond('name', { action: 'accept', content }))
    await page.advance(1000)
    return { outcome, sent: server.received('tasks/update').length }
  }
  const properties = (name: Record<string, unknown>) => ({ type: 'object', properties: { name } })
  /** Schemas that refer to each other, each to the next one twice: checking takes 2^40 steps. */
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`s${at}`, { allOf: Array(2).fill({ $ref: `#/$defs/s${at + 1}` }) }]),
  )

  it.each([
    ['a pattern', properties({ type: 'string', pattern: '^b*$' }), 'a'],
    ['a pattern that takes for ever', properties({ type: 'string', pattern: '^(a+)+$' }), `${'a'.repeat(60)}!`],
    ['a pattern for names', { type: 'object', patternProperties: { '^(n+a?m?e?)+$': { type: 'number' } } }, 'a'],
    ['patterns between which to choose', properties({ oneOf: [{ pattern: '^a' }, { pattern: '^b' }] }), 'a'],
    ['references', { ...properties({ $ref: '#/$defs/s0' }), $defs: { ...doubling, s40: { type: 'string' } } }, 'a'],
    ['a schema for the whole form', { ...properties({ type: 'string' }), not: {} }, 'a'],
  ])('[EDGE-13] leaves %s to the server', async (_, requestedSchema, name) => {
    expect(await answerOf(requestedSchema, { name })).toEqual({ outcome: { result: undefined }, sent: 1 })
  })

  it.each([
    ['a type', properties({ type: 'string' }), 7],
    ['a length', properties({ type: 'string', maxLength: 2 }), 'abc'],
    ['a range', properties({ type: 'integer', maximum: 2 }), 3],
    ['a choice', properties({ enum: ['a', 'b'] }), 'c'],
    ['a choice with titles', properties({ oneOf: [{ const: 'a', title: 'A' }] }), 'b'],
    ['choices', properties({ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }), ['b']],
    ['a format', properties({ type: 'string', format: 'date' }), 'tomorrow'],
    ['what is required', { ...properties({ type: 'string' }), required: ['pattern'] }, 'a'],
    ['a field called pattern', { type: 'object', properties: { name: {}, pattern: {} }, required: ['pattern'] }, 'a'],
  ])('[EDGE-13] holds an answer to %s, as the specification has it', async (_, requestedSchema, name) => {
    const { outcome, sent } = await answerOf(requestedSchema, { name })
    expect(outcome.error).toMatchObject({ name: 'TaskInputError' })
    expect(sent).toBe(0)
  })
})
