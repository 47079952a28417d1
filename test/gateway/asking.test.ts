import type { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { settle } from '../server/support/manualClock.js'
import { TASKS } from '../server/support/rpc.js'
import { startGateway } from './support.js'

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })
const NAME = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] }
const HELLO = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }], maxTokens: 9 }
const ANSWER = { model: 'm', role: 'assistant', content: { type: 'text', text: 'Hi' } }

/** A server of 2025-11-25 behind, whose tools ask for input. */
function asking(server: McpServer) {
  const said = (asked: Promise<unknown>) => asked.then(text, (error: Error) => text(error.message))
  const inputSchema = z.object({ message: z.string().default('Who?') })
  server.registerTool('elicit', { inputSchema }, ({ message }) =>
    said(server.server.elicitInput({ mode: 'form', message, requestedSchema: NAME })),
  )
  server.registerTool('visit', {}, () =>
    said(server.server.elicitInput({ mode: 'url', message: 'Pay', url: 'https://pay.example/1', elicitationId: 'e1' })),
  )
  server.registerTool('sample', {}, () => said(server.server.createMessage(HELLO)))
  const steps: (() => void)[] = []
  const step = () => new Promise<void>((resolve) => steps.push(resolve))
  server.registerTool('elicit_late', {}, async () => {
    await step()
    return said(server.server.elicitInput({ mode: 'form', message: 'Late?', requestedSchema: NAME }))
  })
  server.registerTool('finish', {}, async () => {
    await step()
    return text('finished')
  })
  server.registerTool('go', {}, () => {
    setImmediate(() => steps.shift()?.())
    return text('gone')
  })
  server.registerTool(
    'wait',
    {},
    (ctx) => new Promise((_, reject) => ctx.mcpReq.signal.addEventListener('abort', reject)),
  )
}

describe('what the server behind asks', () => {
  it('is an input request of the task, and the response goes back', async () => {
    const { start, get, rpc } = startGateway(asking)
    const taskId = await start('elicit', {}, 0)
    expect(await get(taskId)).toMatchObject({
      status: 'input_required',
      inputRequests: {
        'elicitation-1': { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: NAME } },
      },
    })
    const answer = { action: 'accept', content: { name: 'Ann' } }
    await rpc('tasks/update', { taskId, inputResponses: { 'elicitation-1': answer } })
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text(answer) })
  })

  it('may be a page to visit, or a completion by the model of the client', async () => {
    const { start, get, rpc } = startGateway(asking)
    const visit = await start('visit', {}, 0)
    expect(await get(visit)).toMatchObject({
      inputRequests: { 'elicitation-1': { params: { mode: 'url', url: 'https://pay.example/1' } } },
    })
    await rpc('tasks/update', { taskId: visit, inputResponses: { 'elicitation-1': { action: 'accept' } } })
    expect(await get(visit)).toMatchObject({ status: 'completed', result: text({ action: 'accept' }) })
    const sample = await start('sample', {}, 0)
    expect(await get(sample)).toMatchObject({ inputRequests: { 'sampling-1': { params: HELLO } } })
    await rpc('tasks/update', { taskId: sample, inputResponses: { 'sampling-1': ANSWER } })
    expect(await get(sample)).toMatchObject({ status: 'completed', result: text(ANSWER) })
  })

  it('belongs to the call that came last, where it does not say to which', async () => {
    const { start, get } = startGateway(asking)
    const first = await start('wait')
    const second = await start('elicit', {}, 0)
    expect(await get(first)).toMatchObject({ status: 'working' })
    expect(await get(second)).toMatchObject({ status: 'input_required' })
  })

  it('belongs to another one where the call that came last ends', async () => {
    const { start, get, call } = startGateway(asking)
    const asks = await start('elicit_late')
    const last = await start('finish')
    await call('go')
    expect(await get(last)).toMatchObject({ status: 'input_required' })
    await call('go')
    expect(await get(last)).toMatchObject({ status: 'completed' })
    expect(await get(asks)).toMatchObject({ status: 'input_required' })
  })

  it('is asked of a client without tasks, too', async () => {
    const { call } = startGateway(asking)
    const { result } = await call('elicit', {}, { capabilities: { elicitation: { form: {} } } })
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { 'elicitation-1': {} } })
  })

  it('is refused where the client does not answer such requests', async () => {
    const { call } = startGateway(asking)
    const { result } = await call('elicit', {}, { capabilities: TASKS })
    expect(JSON.stringify(result)).toContain('has not declared (elicitation')
  })

  it('is refused where no call is under way', async () => {
    const { rpc, started } = startGateway(asking)
    await rpc('tools/list', {})
    const asked = started[0]?.server.server.createMessage(HELLO)
    await expect(asked).rejects.toThrow('during a call only')
  })

  it('is refused when its task is cancelled', async () => {
    const { start, get, rpc, started, errors } = startGateway(asking)
    const taskId = await start('elicit', {}, 0)
    await rpc('tasks/cancel', { taskId })
    expect(await get(taskId)).toMatchObject({ status: 'cancelled' })
    await settle()
    expect(started).toHaveLength(1)
    expect(errors).toEqual([])
  })
})
