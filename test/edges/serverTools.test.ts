import type { RequestListener } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server'
import { defineTool, InMemoryTaskStore, type TaskRecord, type ToolContext } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createManualClock, settle } from '../server/support/manualClock.js'
import { post, readResponse, rpcRequest } from '../server/support/rpc.js'
import { startServer } from '../server/support/serverUnderTest.js'
import { slow, text } from '../server/support/tools.js'
import { listen } from '../support/listen.js'

/** A tool that is given its task after it has been answered for, and ends with what `run` returns. */
const using = (run: (context: ToolContext) => Promise<string> | string) =>
  defineTool({
    ...slow,
    async handler(_, context) {
      await context.sleep(1)
      const said = await run(context)
      await context.sleep(1000)
      return text(said)
    },
  })

describe('a status of a task', () => {
  it.each([[10n], [null], [undefined], [{ toString: () => 'text' }], [Symbol('text')]])(
    '[EDGE-18] %s is refused where the tool sets it as a status, and tasks/get goes on answering',
    async (message) => {
      let thrown: unknown
      const tool = using(({ progress }) => {
        try {
          void progress(message as string)
        } catch (error) {
          thrown = error
        }
        return 'went on'
      })
      const t = startServer({ tools: [tool] })
      const taskId = await t.start('slow')
      await t.clock.advance(1)
      expect(thrown).toMatchObject({ name: 'TaskConfigurationError', message: expect.stringContaining('progress()') })
      expect(await t.get(taskId)).toMatchObject({ status: 'working' })
      expect(await t.get(taskId)).not.toHaveProperty('statusMessage')
      await t.clock.advance(1000)
      expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('went on') })
    },
  )

  it('[EDGE-18] a tool that does not catch the refusal of its status fails, and its task can be read', async () => {
    const t = startServer({ tools: [using(({ progress }) => progress(10n as unknown as string).then(() => 'set'))] })
    const taskId = await t.start('slow')
    await t.clock.advance(1)
    expect(await t.get(taskId)).toMatchObject({ status: 'failed', error: { code: -32603 } })
    expect(t.errors).toMatchObject([{ error: { name: 'TaskConfigurationError' }, context: { source: 'tool' } }])
  })
})

describe('what a tool throws or returns', () => {
  it.each([
    ['code', new ProtocolError(10n as unknown as number, 'no code')],
    ['data', new ProtocolError(-32050, 'no data', { amount: 10n })],
  ])('[EDGE-18] a ProtocolError whose %s is not JSON fails its task, and the task can be read', async (_, error) => {
    const t = startServer({ tools: [using(() => Promise.reject(error))] })
    const taskId = await t.start('slow')
    await t.clock.advance(1)
    expect(await t.get(taskId)).toMatchObject({
      status: 'failed',
      error: { code: expect.any(Number), message: error.message },
    })
  })

  it('[EDGE-18] a result of prepare that is not JSON is answered with an error', async () => {
    const result = { content: [], structuredContent: { amount: 10n } } as unknown as CallToolResult
    const t = startServer({ tools: [defineTool({ ...slow, prepare: () => result })] })
    expect((await t.call('slow')).error).toMatchObject({ code: -32603 })
    expect(String(t.errors[0]?.error)).toContain('is not JSON')
  })
})

describe('a change of a task', () => {
  /** As over a database that returns versions as text: compare-and-set does not succeed until that is mended. */
  class StuckStore extends InMemoryTaskStore {
    attempts: TaskRecord['task']['status'][] = []
    isStuck = true

    override async transition(next: TaskRecord, expectedVersion: number): Promise<boolean> {
      if (!this.isStuck) return super.transition(next, expectedVersion)
      this.attempts.push(next.task.status)
      // Lets timers run, or an endless loop could not even be timed out.
      await new Promise((resolve) => setImmediate(resolve))
      return false
    }
  }

  it('[EDGE-18] a change that the store never takes is given up after ten attempts, and onError is told', async () => {
    const store = new StuckStore()
    const t = startServer({ store, tools: [slow] })
    const taskId = await t.start('slow', { ms: 60_000 })
    const answer = t.cancel(taskId)
    for (let waits = 0; waits < 20; waits += 1) await t.clock.advance(1000)
    expect((await answer).status).toBe(503)
    expect(store.attempts).toHaveLength(10)
    expect(t.errors).toMatchObject([{ error: { name: 'TaskStorageError' }, context: { source: 'server' } }])
    store.isStuck = false
  })

  it('[EDGE-18] an outcome that the store refuses is offered again until the store takes it, ten attempts at a time', async () => {
    const store = new StuckStore()
    const t = startServer({ store, tools: [slow] })
    const taskId = await t.start('slow')
    await t.clock.advance(20_000)
    // A round takes up to a second, and a pause after it up to two.
    expect(store.attempts.length).toBeGreaterThanOrEqual(60)
    expect(store.attempts.length).toBeLessThanOrEqual(120)
    expect(new Set(store.attempts)).toEqual(new Set(['completed']))
    expect(t.errors).toMatchObject([{ error: { name: 'TaskStorageError' }, context: { source: 'server' } }])
    store.isStuck = false
    await t.clock.advance(4000)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
    expect(t.errors).toHaveLength(1)
  })

  it('[EDGE-18] the pauses between attempts to change a task grow', async () => {
    const clock = createManualClock()
    const times: number[] = []
    class TimedStore extends StuckStore {
      override transition(next: TaskRecord, expectedVersion: number): Promise<boolean> {
        times.push(clock.now())
        return super.transition(next, expectedVersion)
      }
    }
    const store = new TimedStore()
    const t = startServer({ clock, store, tools: [slow] })
    void t.cancel(await t.start('slow', { ms: 60_000 }))
    await settle()
    for (let ms = 0; ms < 1100; ms += 1) await clock.advance(1)
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? at))
    expect(pauses[0]).toBe(0)
    expect(pauses.slice(1).every((pause, index) => pause >= 2 ** (index + 1))).toBe(true)
    expect(pauses).toHaveLength(9)
    store.isStuck = false
  })

  it('[EDGE-18] a burst of progress of one task costs one write of the last, and no read', async () => {
    class CountingStore extends InMemoryTaskStore {
      reads = 0
      writes = 0
      override get(taskId: string): Promise<TaskRecord | undefined> {
        this.reads += 1
        return super.get(taskId)
      }
      override transition(next: TaskRecord, expectedVersion: number): Promise<boolean> {
        this.writes += 1
        return super.transition(next, expectedVersion)
      }
    }
    const store = new CountingStore()
    const burst = using(async ({ progress }) => {
      await Promise.all(Array.from({ length: 500 }, (_, step) => progress(`step ${step}`)))
      return 'done'
    })
    const t = startServer({ store, tools: [burst] })
    const taskId = await t.start('slow')
    await t.clock.advance(1)
    expect({ reads: store.reads, writes: store.writes }).toEqual({ reads: 0, writes: 1 })
    expect(await t.get(taskId)).toMatchObject({ statusMessage: 'step 499' })
  })
})

describe('a body', () => {
  const call = () => rpcRequest('tools/call', { name: 'slow', arguments: {} })

  async function throughExpress(givesBody: boolean): Promise<Response> {
    const { server } = startServer({ tools: [slow] })
    const handle = toNodeHandler(server)
    const json: RequestListener = async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
      await handle(request as NodeIncomingMessageLike, response, ...(givesBody ? [body] : []))
    }
    const { origin, close } = await listen(json)
    onTestFinished(close)
    const request = call()
    return fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: request.headers,
      body: await request.text(),
    })
  }

  it('[EDGE-18] a body that express.json() has read is refused with what to do about it', async () => {
    const { status, error } = await readResponse(await throughExpress(false))
    expect({ status, code: error?.code }).toEqual({ status: 400, code: -32700 })
    expect(error?.message).toBe(
      'Parse error: the body is empty, because something before this server has read it, such as express.json(). ' +
        'Pass on what it has parsed: `handle(request, response, request.body)` behind toNodeHandler(), ' +
        '`fetch(request, { parsedBody })` elsewhere.',
    )
  })

  it('[EDGE-18] a body that express.json() has parsed is taken where it is passed on', async () => {
    const { result } = await readResponse(await throughExpress(true))
    expect(result).toMatchObject({ resultType: 'task' })
  })

  it('[EDGE-18] a Request whose body has been read is refused with what to do about it, and onError is told', async () => {
    const t = startServer({ tools: [slow] })
    const request = call()
    const parsedBody: unknown = await request.json()
    const { status, error } = await readResponse(await t.server.fetch(request))
    expect({ status, code: error?.code }).toEqual({ status: 400, code: -32700 })
    expect(error?.message).toContain('`fetch(request, { parsedBody })`')
    expect(t.errors).toMatchObject([{ error: { name: 'TaskConfigurationError' }, context: { source: 'server' } }])
    expect((await readResponse(await t.server.fetch(request, { parsedBody }))).result).toMatchObject({
      resultType: 'task',
    })
  })

  it('[EDGE-18] a body that is empty because the client sent nothing is not JSON', async () => {
    const t = startServer({ tools: [slow] })
    const { status, error } = await readResponse(await t.server.fetch(post('')))
    expect({ status, error }).toEqual({
      status: 400,
      error: { code: -32700, message: 'Parse error: the body is not JSON' },
    })
    expect(t.errors).toEqual([])
  })

  const echo = defineTool({
    name: 'slow',
    inputSchema: z.object({ value: z.unknown() }),
    taskSupport: 'forbidden',
    handler: ({ value }) => text(JSON.stringify(value)),
  })

  /** A call whose argument is this JSON. */
  async function calling(value: string): Promise<Request> {
    const request = rpcRequest('tools/call', { name: 'slow', arguments: { value: 0 } })
    return post((await request.text()).replace('"value":0', `"value":${value}`), Object.fromEntries(request.headers))
  }

  const nested = (levels: number, [open = '', close = '']: readonly string[] = ['[', ']']) =>
    open.repeat(levels) + close.repeat(levels)
  const TOO_DEEP = {
    status: 400,
    error: { code: -32600, message: 'Invalid Request: the body is nested more than 128 levels deep' },
  }

  it.each([[['[', ']']], [['{"a":', '}']]])(
    '[EDGE-18] arguments nested ten million levels deep by %s are refused without being parsed',
    async (brackets) => {
      const t = startServer({ tools: [echo], maxRequestBodySize: 128 * 1024 * 1024 })
      const value = nested(10_000_000, brackets).replace(':}', ':1}')
      const { status, error } = await readResponse(await t.server.fetch(await calling(value)))
      expect({ status, error }).toEqual(TOO_DEEP)
    },
  )

  it('[EDGE-18] arguments nested too deep are refused to clients of earlier revisions, too', async () => {
    const t = startServer({ tools: [echo] })
    const params = `{"name":"slow","arguments":{"value":${nested(100_000)}}}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    const { status, error } = await readResponse(
      await t.server.fetch(post(body, { 'mcp-protocol-version': '2025-11-25' })),
    )
    expect({ status, error }).toEqual(TOO_DEEP)
  })

  it('[EDGE-18] a body that was parsed before is refused where it is nested too deep', async () => {
    const t = startServer({ tools: [echo] })
    const request = await calling('0')
    const parsedBody = JSON.parse((await request.text()).replace('"value":0', `"value":${nested(100_000)}`)) as unknown
    const { status, error } = await readResponse(await t.server.fetch(request, { parsedBody }))
    expect({ status, error }).toEqual(TOO_DEEP)
  })

  it('[EDGE-18] 128 levels are taken, and brackets in texts are none', async () => {
    const t = startServer({ tools: [echo] })
    // The body itself, params and arguments are three of them.
    const deep = nested(125)
    const quoted = JSON.stringify('\\"[{'.repeat(1000))
    for (const value of [deep, quoted, `[${quoted},${quoted}]`]) {
      const { result } = await readResponse(await t.server.fetch(await calling(value)))
      expect(result).toMatchObject(text(value))
    }
    const { status, error } = await readResponse(await t.server.fetch(await calling(nested(126))))
    expect({ status, error }).toEqual(TOO_DEEP)
  })
})
