import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createTaskClient } from 'taskwire'
import { byStatusField, defineJob, type JobDefinition } from 'taskwire/jobs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { listen } from '../support/listen.js'

const RENDER: JobDefinition = {
  start: 'start_render',
  status: 'render_status',
  cancel: 'cancel_render',
  id: 'run_id',
  read: byStatusField('status', { progress: { value: 'step', total: 'steps' } }),
  intervalMs: 50,
}

/** A server of 2025-11-25 by SDK v1, without sessions: a render has a step a poll, until it is cancelled. */
async function serveRenders(): Promise<{ url: string; forget: () => void }> {
  const renders = new Map<string, { step: number; isCancelled: boolean }>()
  const answer = (fields: Record<string, unknown>) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(fields) }],
    structuredContent: fields,
  })
  const renderOf = (id: string) => {
    const found = renders.get(id)
    if (found === undefined) throw new Error(`Run ${id} not found`)
    return found
  }
  function createServer(): McpServer {
    const server = new McpServer({ name: 'renders', version: '1.0.0' })
    const run_id = z.string()
    server.registerTool('start_render', { inputSchema: { steps: z.number() }, outputSchema: { run_id } }, () => {
      const id = `render-${renders.size + 1}-of-this-server`
      renders.set(id, { step: 0, isCancelled: false })
      return answer({ run_id: id })
    })
    const outputSchema = { status: z.string(), step: z.number(), steps: z.number() }
    server.registerTool('render_status', { inputSchema: { run_id }, outputSchema }, ({ run_id: id }) => {
      const render = renderOf(id)
      render.step += 1
      const status = render.isCancelled ? 'cancelled' : render.step < 4 ? 'running' : 'completed'
      return answer({ status, step: render.step, steps: 4 })
    })
    server.registerTool('cancel_render', { inputSchema: { run_id } }, ({ run_id: id }) => {
      renderOf(id).isCancelled = true
      return { content: [{ type: 'text', text: 'Cancelling' }] }
    })
    return server
  }
  const { origin, close } = await listen(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({})
    await createServer().connect(transport as Parameters<McpServer['connect']>[0])
    await transport.handleRequest(request, response)
  })
  onTestFinished(close)
  return { url: `${origin}/mcp`, forget: () => renders.clear() }
}

function start(url: string, definition: Partial<JobDefinition> = {}) {
  const client = createTaskClient({ url, storage: 'memory', jobs: [defineJob({ ...RENDER, ...definition })] })
  onTestFinished(() => client.close())
  return client.startToolCall({ name: 'start_render', arguments: { steps: 4 } })
}

describe('a job of a server by the SDK, over HTTP', () => {
  it('is followed to its end', async () => {
    const { url } = await serveRenders()
    const call = start(url)
    const seen: unknown[] = []
    call.subscribe(({ task }) => task?.progress && seen.push(task.progress.progress))
    await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'completed', step: 4 } })
    expect(seen).toEqual(expect.arrayContaining([1, 2, 3]))
  })

  it('is cancelled', async () => {
    const { url } = await serveRenders()
    const call = start(url)
    await new Promise<void>((resolve) => call.subscribe(({ task }) => task && resolve()))
    await call.cancel()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
  })

  it('is over where the server was started again and has lost it', async () => {
    const { url, forget } = await serveRenders()
    const call = start(url)
    await new Promise<void>((resolve) => call.subscribe(({ task }) => task && resolve()))
    forget()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
  })

  it('ends in words where the status tool has another name', async () => {
    const { url } = await serveRenders()
    await expect(start(url, { status: 'get_render' }).result).rejects.toMatchObject({
      name: 'TasksUnsupportedError',
      message: expect.stringContaining('The server has no tool "get_render"'),
    })
  })

  it('ends in words where the status tool takes other arguments', async () => {
    const { url } = await serveRenders()
    const status = { tool: 'render_status', arguments: (id: string) => ({ job_id: id }) }
    await expect(start(url, { status }).result).rejects.toMatchObject({
      name: 'TaskConfigurationError',
      message: expect.stringContaining('The server refuses the arguments'),
    })
  })
})
