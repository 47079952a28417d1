import { createSimulatedEnvironment } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { type ClientKind, createClientOf } from './support/createClientOf.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  http,
  openStream,
  type Reply,
  result,
  rpcError,
  type ScriptedRequest,
  snapshot,
  stream,
  TASKS,
  unreachable,
} from './support/scriptedServer.js'

const FORM = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}
const SAMPLING = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 10 } }
const ROOTS = { method: 'roots/list' }
const YES = { action: 'accept', content: {} }
/** A header takes it only when it is encoded. */
const TASK_ID = 'tâche 世界'

const asking = (inputRequests: object): Reply => snapshot({ taskId: TASK_ID, status: 'input_required', inputRequests })

const DISCOVERED = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, extensions: { [TASKS]: {} } },
}

/** Everything that a client sends, in the order in which a server of every mood has it sent. */
async function play(kind: ClientKind): Promise<readonly ScriptedRequest[]> {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now })
  const pushed = openStream()
  let token = 0
  server.on('server/discover', http(503), result(DISCOVERED))
  server.on(
    'tools/call',
    // Input requests before there is a task, twice, then a task.
    result({ resultType: 'input_required', inputRequests: { a: FORM, b: SAMPLING }, requestState: '{"round":1}' }),
    stream(result({ resultType: 'input_required', inputRequests: { e: FORM } })),
    created({ taskId: TASK_ID }),
    result({ content: [] }),
    rpcError(-32602, 'No such tool', { status: 400 }),
    http(429, { headers: { 'retry-after': '5' } }),
  )
  server.on(
    'tasks/get',
    http(503, { headers: { 'retry-after': '7' } }),
    unreachable,
    http(200, { body: '<!doctype html>', headers: { 'content-type': 'text/html' } }),
    asking({ c: FORM, d: ROOTS }),
  )
  server.on('tasks/update', http(500), ack)
  server.on('tasks/cancel', ack)
  server.on('subscriptions/listen', pushed, http(404))
  const client = createClientOf(kind, {
    url: 'http://localhost/mcp',
    headers: () => ({ Authorization: `Bearer ${++token > 0}`, 'X-Tenant': 'acme', 'Mcp-Method': 'forged' }),
    transportOptions: { fetch: server.fetch },
    clientInfo: { name: 'app', version: '2' },
    capabilities: { roots: {} },
    input: { handlers: { sampling: () => ({ model: 'none', role: 'assistant', content: [] }) } },
    environment: page.environment,
  })
  const during = (ms: number, action: Promise<unknown>) => Promise.all([action, page.advance(ms)])
  await during(60_000, client.connect())
  await client.listTools()
  const call = client.startToolCall({ name: 'bericht-für', arguments: { deep: { list: [1, null] } } }, { key: 'k' })
  await page.advance(1000)
  await during(1000, call.respond('a', YES))
  await during(1000, call.respond('e', YES))
  pushed.end()
  await page.advance(20_000)
  await during(5000, Promise.all([call.respond('c', YES), call.respond('d', { roots: [] })]))
  await during(1000, call.cancel())
  server.on('tasks/get', asking({ d: ROOTS }), stream(completed({ taskId: TASK_ID })))
  await page.advance(20_000)
  expect(call.getState().phase).toBe('completed')
  for (const name of ['empty', 'unknown', 'busy'])
    await during(
      1000,
      client.callTool({ name }).catch(() => {}),
    )
  await client.close()
  return server.requests
}

/** A request without what may differ: its id. */
function withoutId({ method, headers, body: { id, ...body } }: ScriptedRequest) {
  expect(['number', 'string']).toContain(typeof id)
  return { method, body, headers: Object.fromEntries(headers) }
}

it('both clients send the same requests in the same order: methods, headers and bodies', async () => {
  const [full, lite] = await Promise.all([play('full'), play('lite')])
  expect(lite.map(withoutId)).toEqual(full.map(withoutId))
  expect(lite.map(({ at }) => at)).toEqual(full.map(({ at }) => at))
  const methods = new Set(lite.map(({ method }) => method))
  for (const method of ['tools/list', 'subscriptions/listen', 'tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(methods).toContain(method)
  expect(lite.length).toBeGreaterThan(15)
})
