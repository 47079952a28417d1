import type { McpServer } from '@modelcontextprotocol/server'
import { byStatusField, defineJob } from 'taskwire/jobs'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/server/base/clock.js'
import type { Json } from '../server/support/rpc.js'
import { PATIENCE } from '../support/patience.js'
import { startGateway } from './support.js'

const structured = (value: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
  structuredContent: value,
})

const render = defineJob({
  start: 'render',
  status: 'render_status',
  cancel: 'render_cancel',
  id: 'run_id',
  read: byStatusField('status', { progress: { value: 'step', total: 'steps' } }),
  intervalMs: 50,
})

/** A server behind with the tools of a job, whose state a test sets. */
function renderer() {
  const state: Record<string, unknown> = { status: 'running', step: 1, steps: 3 }
  const asked = vi.fn()
  const cancelled = vi.fn()
  const inputSchema = z.object({ run_id: z.string() })
  const setUp = (server: McpServer) => {
    const outputSchema = z.object({ run_id: z.string() })
    server.registerTool('render', { inputSchema: z.object({ scene: z.string() }), outputSchema }, ({ scene }) =>
      structured({ run_id: `run of ${scene}` }),
    )
    server.registerTool('render_status', { inputSchema }, ({ run_id }) => {
      asked(run_id)
      return structured(state)
    })
    server.registerTool('render_cancel', { inputSchema }, ({ run_id }) => {
      cancelled(run_id)
      state['status'] = 'cancelled'
      return structured({})
    })
    server.registerTool('other', {}, () => structured({ other: true }))
  }
  return { state, asked, cancelled, setUp }
}

/** A gateway in real time: what follows jobs is loaded when the first one is called. */
function startRenderer() {
  const behind = renderer()
  const gateway = startGateway(behind.setUp, { jobs: [render], clock: systemClock, pollIntervalMs: 50 })
  const begin = () => gateway.start('render', { scene: 'harbour' }, 0)
  const until = (taskId: string, shown: Json) =>
    vi.waitFor(async () => expect(await gateway.get(taskId)).toMatchObject(shown), PATIENCE)
  return { ...behind, ...gateway, begin, until }
}

describe('a job of the server behind', () => {
  it('is one tool, whose call is a task until the work is done', async () => {
    const { state, asked, rpc, begin, until, errors } = startRenderer()
    const { result } = await rpc('tools/list', {})
    const tools = result?.['tools'] as readonly Json[]
    expect(tools.map(({ name }) => name)).toEqual(['render', 'other'])
    expect(tools[0]).not.toHaveProperty('outputSchema')
    expect(tools[0]?.['description']).toMatch(/^The call waits for the job and returns its outcome/)
    const taskId = await begin()
    await until(taskId, { status: 'working', statusMessage: '1 of 3' })
    state['step'] = 2
    await until(taskId, { status: 'working', statusMessage: '2 of 3' })
    state['status'] = 'done'
    await until(taskId, { status: 'completed', result: { structuredContent: { status: 'done' } } })
    expect(asked).toHaveBeenCalledWith('run of harbour')
    expect(errors).toEqual([])
  })

  it('is cancelled by the tool for that', async () => {
    const { cancelled, rpc, begin, until } = startRenderer()
    const taskId = await begin()
    await until(taskId, { statusMessage: '1 of 3' })
    await rpc('tasks/cancel', { taskId })
    await until(taskId, { status: 'cancelled' })
    expect(cancelled).toHaveBeenCalledWith('run of harbour')
  })

  it('fails as the server behind says, or because that has stopped', async () => {
    const { state, started, begin, until } = startRenderer()
    const lost = await begin()
    await until(lost, { statusMessage: '1 of 3' })
    await started[0]?.stop()
    await until(lost, {
      status: 'failed',
      error: { message: expect.stringContaining('stopped before the tool had finished') },
    })
    Object.assign(state, { status: 'failed', error: 'Out of paint' })
    await until(await begin(), { status: 'failed', error: { message: 'Out of paint' } })
  })

  it('leaves other tools as they are', async () => {
    const { call } = startRenderer()
    expect((await call('other')).result).toMatchObject(structured({ other: true }))
  })
})
