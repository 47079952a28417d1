import { createTaskGateway, type TaskGatewayOptions } from 'taskwire/gateway'
import { createTaskServer, defineTool } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { startLegacyServer } from '../eras/support/legacyServer.js'
import { type Json, type RpcOptions, readResponse, rpcRequest } from '../server/support/rpc.js'
import { startHttpServer } from '../support/httpServer.js'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

/** A gateway in front of a URL, in real time. */
function startGateway(url: string, options: Partial<TaskGatewayOptions> = {}) {
  const errors: unknown[] = []
  const gateway = createTaskGateway({ url, afterMs: 50, onError: (error) => errors.push(error), ...options })
  onTestFinished(() => gateway.close())
  const rpc = async (method: string, params: Json, rest?: RpcOptions) =>
    readResponse(await gateway.fetch(rpcRequest(method, params, rest)))
  const ended = async (taskId: string) => {
    for (;;) {
      const { result } = await rpc('tasks/get', { taskId })
      if (result?.['status'] !== 'working') return result
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    errors,
    rpc,
    ended,
    call: (name: string, args: Json = {}, rest?: RpcOptions) => rpc('tools/call', { name, arguments: args }, rest),
  }
}

/** A server of 2026-07-28 behind, of which a test lets connections break. */
async function startBehind() {
  let breakOff = () => {}
  const broken = new Promise<void>((resolve) => {
    breakOff = resolve
  })
  const ask = defineTool({
    name: 'ask',
    inputSchema: z.object({ who: z.string() }),
    taskSupport: 'optional',
    async handler({ who }, { elicit }) {
      const answer = await elicit({ message: `For ${who}?`, requestedSchema: z.object({ ok: z.boolean() }) })
      return text(`${who} ${answer.content?.ok}`)
    },
  })
  let runs = 0
  const lost = (name: string, annotations?: object) =>
    defineTool({
      name,
      ...(annotations && { annotations }),
      inputSchema: z.object({}),
      taskSupport: 'optional',
      async handler(_, { progress }) {
        runs += 1
        if (runs > 1) return text(`run ${runs}`)
        await progress(1, 2)
        await broken
        return text('never seen')
      },
    })
  const server = createTaskServer({
    serverInfo: { name: 'behind', version: '1' },
    tools: [ask, lost('lost'), lost('lost_reader', { readOnlyHint: true })],
  })
  const http = await startHttpServer({
    async fetch(request) {
      const response = await server.fetch(request)
      if (response.headers.get('content-type') !== 'text/event-stream') return response
      const body = response.body?.getReader()
      // A stream that breaks off after its first message.
      const cut = new ReadableStream<Uint8Array>({
        async start(controller) {
          const first = await body?.read()
          if (first?.value !== undefined) controller.enqueue(first.value)
          breakOff()
          controller.close()
        },
      })
      return new Response(cut, response)
    },
  })
  onTestFinished(async () => {
    await http.close()
    await server.close()
  })
  return http
}

describe('a server of 2026-07-28 behind a URL', () => {
  it('asks about the call that it means, though another one came later', async () => {
    const { url } = await startBehind()
    const { call, rpc, ended } = startGateway(url)
    const [ann, bob] = await Promise.all(['Ann', 'Bob'].map((who) => call('ask', { who })))
    for (const [who, asked] of Object.entries({ Ann: ann, Bob: bob })) {
      const taskId = String(asked?.result?.['taskId'])
      const found = await ended(taskId)
      expect(found).toMatchObject({ inputRequests: { 'elicitation-1': { params: { message: `For ${who}?` } } } })
      const answer = { action: 'accept', content: { ok: true } }
      await rpc('tasks/update', { taskId, inputResponses: { 'elicitation-1': answer } })
      expect(await ended(taskId)).toMatchObject({ status: 'completed', result: text(`${who} true`) })
    }
  })

  it('fails a call whose answer breaks off, and gets one again that only reads', async () => {
    const { url } = await startBehind()
    const { call, ended, errors } = startGateway(url)
    const failed = await call('lost')
    expect(await ended(String(failed.result?.['taskId']))).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('may have run in part') },
    })
    expect(errors).toMatchObject([{ message: expect.stringContaining('stopped during a call of the tool "lost"') }])
    const other = startGateway((await startBehind()).url)
    const read = await other.call('lost_reader')
    expect(await other.ended(String(read.result?.['taskId']))).toMatchObject({
      status: 'completed',
      result: text('run 2'),
    })
  })

  it('gets the headers of the gateway, and nothing of the page', async () => {
    const { url, requests } = await startBehind()
    const { rpc } = startGateway(url, { headers: { authorization: 'Bearer of the gateway', 'x-team': 'red' } })
    const headers = { authorization: 'Bearer of the page', cookie: 'session=1', 'x-page': 'yes' }
    await rpc('tools/list', {}, { headers })
    for (const request of requests) {
      expect(request.headers.get('authorization')).toBe('Bearer of the gateway')
      expect(request.headers.get('x-team')).toBe('red')
      expect(request.headers.get('cookie')).toBeNull()
      expect(request.headers.get('x-page')).toBeNull()
      expect(request.headers.get('taskwire-gateway-call')).toBeNull()
    }
    expect(requests.length).toBeGreaterThan(1)
  })
})

describe('a server of 2025-11-25 behind a URL', () => {
  it('is called, asks for input, and gets a new session after a restart', async () => {
    const legacy = await startLegacyServer()
    onTestFinished(() => legacy.close())
    const { call, rpc, ended } = startGateway(legacy.url, { afterMs: 2000 })
    const { result } = await rpc('tools/list', {})
    expect(result?.['tools']).toMatchObject([{ name: 'echo' }, { name: 'ask_plainly' }, { name: 'work_optionally' }])
    expect((await call('echo', { text: 'hi' })).result).toMatchObject(text('hi'))
    legacy.restart()
    expect((await call('echo', { text: 'again' })).result).toMatchObject(text('again'))
    const asked = await call('ask_plainly')
    const taskId = String(asked.result?.['taskId'])
    expect(await ended(taskId)).toMatchObject({ status: 'input_required' })
    const answer = { action: 'accept', content: { ok: true } }
    await rpc('tasks/update', { taskId, inputResponses: { 'elicitation-1': answer } })
    expect(await ended(taskId)).toMatchObject({ status: 'completed', result: text('{"ok":true}') })
  })
})
