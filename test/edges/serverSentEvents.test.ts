import { createTaskClient } from 'taskwire/lite'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createScriptedServer, type Reply, type ScriptedRequest } from '../support/scriptedServer.js'

/** A result whose text says which message it was in. */
const resultOf = ({ id }: ScriptedRequest, text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } })

/** A stream of these pieces, one a read. */
function inPieces(pieces: readonly (string | Uint8Array)[]): Response {
  const encoder = new TextEncoder()
  let next = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = pieces[next++]
      if (piece === undefined) controller.close()
      else controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** The text of the result of a call that is answered by these pieces. */
async function textOf(pieces: (request: ScriptedRequest) => readonly (string | Uint8Array)[]): Promise<unknown> {
  const { environment } = createSimulatedEnvironment()
  const server = createScriptedServer()
  const reply: Reply = (request) => inPieces(pieces(request))
  server.on('tools/call', reply)
  const client = createTaskClient({ url: 'https://tasks.example/mcp', fetch: server.fetch, environment, push: false })
  const { content } = await client.callTool({ name: 'report' })
  await client.close()
  return content[0]
}

const DONE = { type: 'text', text: 'done' }

describe('a stream of server-sent events', () => {
  it.each([
    ['\\n', '\n'],
    ['\\r\\n', '\r\n'],
    ['\\r', '\r'],
  ])('[EDGE-51] brings its last message where lines end with %s', async (_, end) => {
    const lines = (request: ScriptedRequest) => ['event: message', `data: ${resultOf(request, 'done')}`, '', '']
    expect(await textOf((request) => [lines(request).join(end)])).toEqual(DONE)
    // Each character by itself.
    expect(await textOf((request) => [...lines(request).join(end)])).toEqual(DONE)
  })

  it('[EDGE-51] of carriage returns alone is read in a time that grows with it, and no faster', async () => {
    const returns = '\r'.repeat(1_000_000)
    const pieces = Array.from({ length: 4 }, () => returns)
    expect(await textOf((request) => [...pieces, `data: ${resultOf(request, 'done')}\n\n`])).toEqual(DONE)
  })

  it('[EDGE-51] of one long line in many pieces is read in a time that grows with it, and no faster', async () => {
    const pieces = Array.from({ length: 20_000 }, () => 'x'.repeat(400))
    expect(await textOf((request) => ['data: ', ...pieces, `\n\ndata: ${resultOf(request, 'done')}\n\n`])).toEqual(DONE)
  })

  it('[EDGE-51] may begin with a byte order mark, and have a message in several lines of data', async () => {
    const mark = Uint8Array.of(0xef, 0xbb, 0xbf)
    const data = (request: ScriptedRequest) => JSON.stringify(JSON.parse(resultOf(request, 'done')), null, 1)
    const lines = (request: ScriptedRequest) => data(request).replaceAll(/^/gm, 'data:')
    expect(await textOf((request) => [mark, `${lines(request)}\n\n`])).toEqual(DONE)
  })

  it('[EDGE-51] says nothing by an event of another type, by comments, and by an event that is cut off', async () => {
    const pieces = (request: ScriptedRequest) => [
      ': keep-alive\n\n',
      `event: other\ndata: ${resultOf(request, 'of another type')}\n\n`,
      `data: ${resultOf(request, 'done')}\nid: 1\nretry: 5\n\n`,
      `data: ${resultOf(request, 'late')}`,
    ]
    expect(await textOf(pieces)).toEqual(DONE)
  })
})
