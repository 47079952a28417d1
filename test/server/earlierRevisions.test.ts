import { describe, expect, it } from 'vitest'
import { type Json, post, readResponse, TASKS } from './support/rpc.js'
import { type ServerUnderTest, startServer } from './support/serverUnderTest.js'
import { failing, greet, slow, text } from './support/tools.js'

describe('clients of earlier revisions', () => {
  const headers = { 'mcp-protocol-version': '2025-11-25' }
  const message = (method: string, params: Json, id = 1) => ({ jsonrpc: '2.0', id, method, params })

  async function sendLegacy(t: ServerUnderTest, body: unknown): Promise<Json | Json[]> {
    const text = await (await t.server.fetch(post(JSON.stringify(body), headers))).text()
    const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json)
    return events.length > 0 ? (events.length === 1 ? (events[0] as Json) : events) : (JSON.parse(text) as Json)
  }

  it('are told of no extension, and know no method of it', async () => {
    const t = startServer({ tools: [slow] })
    const clientInfo = { name: 'old', version: '1' }
    const initialize = message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    const initialized = await sendLegacy(t, initialize)
    expect(initialized).toMatchObject({ result: { capabilities: { tools: {} } } })
    expect(initialized).not.toHaveProperty('result.capabilities.extensions')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(await sendLegacy(t, message(method, { taskId: 'x' }))).toMatchObject({ error: { code: -32601 } })
    }
  })

  it('get the result itself, even if they name the extension', async () => {
    const tasks: unknown[] = []
    const t = startServer({
      tools: [
        {
          ...slow,
          handler(_, { taskId }) {
            tasks.push(taskId)
            return text('done')
          },
        },
      ],
    })
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': TASKS }
    const answer = await sendLegacy(t, message('tools/call', { name: 'slow', arguments: {}, _meta }))
    expect(answer).toMatchObject({ result: text('done') })
    expect(tasks).toEqual([undefined])
  })

  it('get the code and the data of a ProtocolError, and of any other error no more than others do', async () => {
    const t = startServer({ tools: [failing] })
    const answerTo = (how: string) => sendLegacy(t, message('tools/call', { name: 'failing', arguments: { how } }))
    expect(await answerTo('bug')).toMatchObject({ result: { isError: true, ...text('The tool failed unexpectedly.') } })
    expect(await answerTo('protocol')).toMatchObject({
      error: { code: -32050, message: 'Out of paper', data: { tray: 2 } },
    })
  })

  it('are refused tools that must be tasks, in a way that they can read', async () => {
    const t = startServer({ tools: [{ ...slow, taskSupport: 'required' }] })
    const body = message('tools/call', { name: 'slow', arguments: {} })
    const response = await t.server.fetch(post(JSON.stringify(body), headers))
    expect(await readResponse(response)).toMatchObject({ status: 200, error: { code: -32021 } })
  })

  it('get a response to each request of a batch', async () => {
    const t = startServer({ tools: [greet, { ...slow, taskSupport: 'required' }] })
    const batch = [
      message('tools/call', { name: 'greet', arguments: { name: 'Luca' } }, 1),
      message('tools/call', { name: 'slow', arguments: {} }, 2),
    ]
    const answers = (await sendLegacy(t, batch)) as Json[]
    expect(answers).toHaveLength(2)
    expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: { isError: true } })
  })
})
