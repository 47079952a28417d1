import { describe, expect, it } from 'vitest'
import { FIXTURES } from '../jobs/fixtures.js'
import {
  createScriptedServer,
  legacyResult,
  result,
  type ScriptedServer,
  speakLegacy,
  TASKS,
} from '../support/scriptedServer.js'
import { serve } from './support/serve.js'
import { taskwire } from './support/testTerminal.js'

const [comfyui] = FIXTURES
const tools = [...(comfyui?.tools ?? [])]
const LINES = `A pair of tools can be called as one: a tool that starts work, and one that returns its status.
Compare the paths of the id and the status with what the tools return.

import { byStatusField, defineJob } from 'taskwire/jobs'

export const jobs = [
  defineJob({
    start: 'start_workflow',
    status: { tool: 'queue', arguments: (id) => ({ action: 'status', prompt_id: id }) },
    cancel: { tool: 'queue', arguments: (id) => ({ action: 'cancel', prompt_id: id }) },
    id: 'prompt_id',
    read: byStatusField('status'),
  }),
]

Pass them to the client: createTaskClient({ url, jobs })`

const handlerOf = (server: ScriptedServer) => async (request: Request) =>
  server.fetch(request.url, { method: request.method, headers: request.headers, body: await request.text() })

describe('the doctor', () => {
  it('prints the lines of defineJob for a server without tasks, and calls none of its tools', async () => {
    const server = createScriptedServer({ capabilities: { tools: {} } })
    const [first, second] = [tools.slice(0, 1), tools.slice(1)]
    server.on('tools/list', result({ tools: first, nextCursor: '2' }), result({ tools: second }))
    const { output } = await taskwire(['doctor', await serve(handlerOf(server))])
    expect(output).toContain(LINES)
    expect(server.received('tools/call')).toEqual([])
    expect(server.received('tools/list')[1]?.params).toMatchObject({ cursor: '2' })
  })

  it('does it for a server of 2025-11-25 as well', async () => {
    const server = createScriptedServer()
    speakLegacy(server)
    server.on('tools/list', legacyResult({ tools }))
    const { output } = await taskwire(['doctor', await serve(handlerOf(server))])
    expect(output).toContain(LINES)
  })

  it('prints the pairs as data for machines', async () => {
    const server = createScriptedServer({ capabilities: { tools: {} }, tools })
    const { output } = await taskwire(['doctor', await serve(handlerOf(server)), '--json'])
    expect(JSON.parse(output).jobs).toMatchObject([
      { start: 'start_workflow', status: { name: 'queue', idArgument: 'prompt_id' }, id: 'prompt_id' },
    ])
  })

  it('prints none where the server has tasks, or no such tools', async () => {
    const withTasks = createScriptedServer({ capabilities: { tools: {}, extensions: { [TASKS]: {} } }, tools })
    const without = createScriptedServer({ capabilities: { tools: {} } })
    for (const server of [withTasks, without]) {
      const { output } = await taskwire(['doctor', await serve(handlerOf(server))])
      expect(output).not.toContain('defineJob')
    }
    expect(withTasks.received('tools/list')).toEqual([])
  })
})
