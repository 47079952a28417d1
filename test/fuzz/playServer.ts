import { ProtocolError } from '@modelcontextprotocol/server'
import { createTaskServer, defineTool, type TaskServer } from 'taskwire/server'
import { z } from 'zod'
import { createManualClock, type ManualClock, settle } from '../server/support/manualClock.js'
import { rpc } from '../server/support/rpc.js'
import { simulateMachineTimers } from '../support/machineTimers.js'
import { eventsOf, problemOf, type ReadResponse } from './checkResponse.js'
import { add, type Breach, type Counts } from './kinds.js'
import { type MangledRequest, mangledRequest } from './mangledRequest.js'
import type { Verdict } from './playClient.js'
import { takePollution } from './prototypes.js'
import { type ServerCase, type ServerStep, SOME_TASK } from './serverCase.js'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
const duration = z.object({ ms: z.number().min(0).max(5000).default(1000) })

const slow = defineTool({
  name: 'slow',
  inputSchema: duration,
  taskSupport: 'optional',
  async handler({ ms }, { sleep }) {
    await sleep(ms)
    return text('done')
  },
})

const TOOLS = [
  slow,
  defineTool({ ...slow, name: 'required', taskSupport: 'required' }),
  defineTool({
    name: 'greet',
    inputSchema: z.object({ name: z.string() }),
    taskSupport: 'forbidden',
    handler: ({ name }) => text(`Hello, ${name}!`),
  }),
  defineTool({
    name: 'failing',
    inputSchema: z.object({ how: z.enum(['isError', 'protocol']) }),
    taskSupport: 'optional',
    handler({ how }) {
      if (how === 'isError') return { ...text('no such file'), isError: true }
      throw new ProtocolError(-32050, 'Out of paper', { tray: 2 })
    },
  }),
  defineTool({
    name: 'ask',
    inputSchema: z.object({ times: z.number().int().min(0).max(3).default(1) }),
    taskSupport: 'required',
    async handler({ times }, { elicit }) {
      for (let round = 0; round < times; round++)
        await elicit({ message: 'Name?', requestedSchema: z.object({ name: z.string() }) })
      return text('thanks')
    },
  }),
]

/** After so much time a response must be there: no tool works for longer. */
const PATIENCE_MS = 60_000

/** Plays a run of the server to its end: requests, then one that is sane, and everything is closed. */
export async function playServer({ steps }: ServerCase, counts: Counts): Promise<Verdict> {
  const clock = createManualClock()
  const trace: string[] = []
  const breaches: string[] = []
  const log = (line: string) => trace.push(line.slice(0, 600))
  const breach = (kind: Breach, what: string) => {
    add(counts, kind)
    if (breaches.length < 5) breaches.push(`${kind}: ${what.slice(0, 600)}`)
    log(`!! ${kind}: ${what}`)
  }
  const onRejection = (reason: unknown) => breach('unhandled error', textOf(reason))
  const server = createTaskServer({
    serverInfo: { name: 'fuzz', version: '1.0.0' },
    tools: TOOLS,
    clock,
    onError: (error, { source }) => {
      log(`  onError (${source}): ${String(error)}`)
      // A tool fails where its client hangs up, or asks under the id of another request.
      if (source !== 'request' && source !== 'tool') breach('internal error', `${source}: ${textOf(error)}`)
    },
  })
  const giveTimersBack = simulateMachineTimers(clock)
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onRejection)
  let taskId = 'no task yet'
  try {
    for (const [index, step] of steps.entries()) {
      const request = mangledRequest(withTask(step, taskId), index + 1)
      if (step.mangle !== undefined) add(counts, step.mangle)
      add(counts, 'requests')
      log(
        `${step.mangle ?? 'sane'} → ${request.method} ${request.url.slice(0, 80)} ${JSON.stringify(request.headers)} ${request.text}`,
      )
      const answer = await send(server, clock, request)
      await clock.advance(step.waitMs)
      if (answer === undefined) {
        breach('request never answered', request.text)
        continue
      }
      log(`  ← ${answer.status} ${answer.contentType} ${answer.text}`)
      judge(answer, request, breach)
      taskId = /"taskId":"([^"\\]+)","status"/.exec(answer.text)?.[1] ?? taskId
    }
    const problem = await problemOfServer(server, clock)
    if (problem !== undefined) breach('server unusable afterwards', problem)
    await server.close()
    await clock.advance(PATIENCE_MS)
    if (clock.pending > 0) breach('left running after close()', `${clock.pending} timers`)
  } catch (error) {
    breach('unhandled error', textOf(error))
  } finally {
    process.off('unhandledRejection', onRejection)
    process.off('uncaughtException', onRejection)
    giveTimersBack()
  }
  for (const what of takePollution()) breach('prototype polluted', what)
  return { breaches, trace }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error)
}

function withTask(step: ServerStep, taskId: string): ServerStep {
  const { request } = step
  const fill = (value: unknown): unknown => {
    if (value === SOME_TASK) return taskId
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
  }
  return { ...step, request: { ...request, params: fill(request.params) as Record<string, unknown> } }
}

/** Sends a request and reads the response as far as it comes. Undefined: none comes. */
async function send(
  server: TaskServer,
  clock: ManualClock,
  mangled: MangledRequest,
): Promise<ReadResponse | undefined> {
  const client = new AbortController()
  const request = toRequest(mangled, client.signal)
  const { parsedBody } = mangled
  let response: Response | undefined
  const answered = server.fetch(request, parsedBody === undefined ? {} : { parsedBody }).then((value) => {
    response = value
  })
  await inTime(answered, clock)
  if (response === undefined) {
    client.abort()
    return undefined
  }
  const { status, headers, body } = response
  const contentType = headers.get('content-type') ?? ''
  const decoder = new TextDecoder()
  let text = ''
  const reader = body?.getReader()
  const read = async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return
      text += decoder.decode(value, { stream: true })
    }
  }
  const isOver = await inTime(read(), clock)
  // A stream of notifications stays open until the client has enough.
  client.abort()
  if (!isOver) await reader?.cancel().catch(() => {})
  await settle()
  const isListening = /notifications\/subscriptions\/acknowledged/.test(text)
  return isOver || isListening ? { status, contentType, text } : undefined
}

/** Lets time pass until a promise has settled; false where it does not. */
async function inTime(promise: Promise<unknown>, clock: ManualClock): Promise<boolean> {
  let isSettled = false
  const over = () => {
    isSettled = true
  }
  promise.then(over, over)
  await settle()
  for (let waited = 0; waited < PATIENCE_MS && !isSettled; waited += PATIENCE_MS / 4)
    await clock.advance(PATIENCE_MS / 4)
  return isSettled
}

function toRequest({ url, method, headers, text, stream }: MangledRequest, signal: AbortSignal): Request {
  const init = { method, headers, signal }
  if (method === 'GET' || method === 'HEAD') return new Request(url, init)
  if (stream === undefined) return new Request(url, { ...init, body: text })
  const { pieces, breaksAt } = stream
  const bytes = new TextEncoder().encode(text)
  const end = breaksAt ?? bytes.length
  const step = Math.max(1, Math.ceil(bytes.length / pieces))
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at < end) controller.enqueue(bytes.slice(at, Math.min(end, at + step)))
      else if (breaksAt === undefined) controller.close()
      else controller.error(new TypeError('connection lost'))
      at += step
    },
  })
  // Node wants it said that the response does not come before the body is sent; its type does not know the member.
  return new Request(url, { ...init, body, duplex: 'half' } as RequestInit)
}

function judge(answer: ReadResponse, request: MangledRequest, breach: (kind: Breach, what: string) => void): void {
  const { status, contentType, text } = answer
  const what = `${status} ${contentType} ${text}`
  if (status >= 500) return breach('HTTP 5xx', what)
  let body: unknown = request.parsedBody
  try {
    body ??= JSON.parse(request.text)
  } catch {
    // No JSON has no id.
  }
  const problem = problemOf(answer, body)
  if (problem !== undefined) breach('answer is no JSON-RPC', `${problem}: ${what}`)
  const messages = contentType.startsWith('text/event-stream')
    ? eventsOf(text)
    : [text.startsWith('{') ? JSON.parse(text) : undefined]
  for (const message of messages) {
    const { code, message: words } =
      (message as { error?: { code?: unknown; message?: unknown } } | undefined)?.error ?? {}
    // The SDK has the same code for params of earlier revisions that do not fit, and says in what.
    if (code === -32603 && !String(words).startsWith('[')) breach('internal error', what)
  }
}

/** What is wrong with the server after all that; undefined: nothing. */
async function problemOfServer(server: TaskServer, clock: ManualClock): Promise<string | undefined> {
  const listed = await rpc(server, 'tools/list', {})
  if (listed.result === undefined) return `tools/list: ${JSON.stringify(listed.error)}`
  const { result, error } = await rpc(server, 'tools/call', { name: 'slow', arguments: { ms: 100 } })
  if (result?.['resultType'] !== 'task') return `tools/call: ${JSON.stringify(result ?? error)}`
  await clock.advance(1000)
  const got = await rpc(server, 'tasks/get', { taskId: result['taskId'] })
  return got.result?.['status'] === 'completed' ? undefined : `tasks/get: ${JSON.stringify(got.result ?? got.error)}`
}
