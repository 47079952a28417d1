import { expect, it } from 'vitest'
import { answer, doctoredServer, task } from './support/doctoredServer.js'
import { serve } from './support/serve.js'
import { taskwire } from './support/testTerminal.js'

type Message = Record<string, unknown>

/** What `String()` cannot turn into a text. */
const ODD = { toString: 1 }

/** Runs the doctor on a server that answers one method in its own way. */
async function doctorOn(method: string, respond: (message: Message, request: Request) => Response, ...args: string[]) {
  const server = doctoredServer({
    request: (request, message) => (message['method'] === method ? respond(message, request) : undefined),
  })
  return taskwire(['doctor', await serve(server), ...args])
}

it('the doctor prints what a server says of itself, whatever kind of value it is', async () => {
  const result = { supportedVersions: ['2026-07-28'], capabilities: {}, serverInfo: { name: 'odd', version: ODD } }
  const { output, exitCode } = await doctorOn('server/discover', (message) => answer(message, { result }))
  expect(output).toContain('odd {"toString":1}')
  expect(exitCode).toBe(1)
})

it('the doctor prints an error whose code and message are anything', async () => {
  const error = { code: ODD, message: ODD }
  const { output, exitCode } = await doctorOn('tasks/get', (message) => answer(message, { error }))
  expect(output).toContain('has got the error {"toString":1}: {"toString":1}')
  expect(exitCode).toBe(1)
})

it('the doctor leaves a stream that stays open after the response in it', async () => {
  let leave = () => {}
  const isLeft = new Promise<void>((resolve) => {
    leave = resolve
  })
  const error = { code: -32601, message: 'Method not found' }
  const { exitCode } = await doctorOn('subscriptions/listen', ({ id }, { signal }) => {
    signal.addEventListener('abort', leave)
    const event = `data: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(event)) })
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
  })
  expect(exitCode).toBe(0)
  await isLeft
})

it.each([
  ['a text', 'text/plain'],
  ['an event', 'text/event-stream'],
])('the doctor reads no more than a part of %s that has no end', async (_, type) => {
  let sent = 0
  const { output } = await doctorOn('server/discover', () => {
    const piece = new TextEncoder().encode('x'.repeat(100_000))
    const body = new ReadableStream({
      pull: (controller) => {
        sent += piece.length
        controller.enqueue(piece)
      },
    })
    return new Response(body, { headers: { 'Content-Type': type } })
  })
  expect(output).toContain('MCP')
  expect(sent).toBeGreaterThan(1_000_000)
})

it.each(['soon', '600, 600', '-1', ''])(
  'the doctor ignores an Access-Control-Max-Age of "%s", as browsers do',
  async (age) => {
    const server = doctoredServer({
      response: (headers) => {
        if (headers.has('access-control-max-age')) headers.set('access-control-max-age', age)
        return undefined
      },
    })
    const { output } = await taskwire(['doctor', await serve(server), '--origin', 'http://localhost:5173'])
    expect(output).toContain('Browsers keep the permission for 5 s only')
  },
)

it.each([
  ['a longer interval than a timer can hold', 2 ** 32, 86_400_000],
  ['no interval at all', 0, 50],
])('the doctor polls at a sane interval where the server asks for %s', async (_, pollIntervalMs, expected) => {
  const waits: number[] = []
  const server = doctoredServer({
    request: (__, message) => {
      const { method } = message
      if (method === 'tools/call')
        return answer(message, { result: { resultType: 'task', ...task('working', { pollIntervalMs, ttlMs: null }) } })
      if (method !== 'tasks/get') return undefined
      return answer(message, { result: { resultType: 'complete', ...task('completed', { result: { content: [] } }) } })
    },
  })
  const fires = (ms: number) => {
    waits.push(ms)
    return ms !== 10_000
  }
  const { output } = await taskwire(['doctor', await serve(server), '--tool', 'report'], { fires })
  expect(output).toContain('The task of "report": completed, after 1 poll.')
  expect(waits.filter((ms) => ms !== 10_000 && ms !== 5000)).toEqual([expected, expected])
})

it.each([['doctor'], ['types'], ['gateway']])(
  '%s refuses a URL with a password, and does not print it',
  async (command) => {
    const { output, warnings, exitCode } = await taskwire([command, 'http://ann:hunter2@127.0.0.1:9/mcp'])
    expect(warnings).toContain("--header 'Authorization: Basic …'")
    expect(output + warnings).not.toContain('hunter2')
    expect(exitCode).toBe(2)
  },
)
