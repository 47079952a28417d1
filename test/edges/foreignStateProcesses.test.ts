import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createLiveServer } from 'taskwire/testing'
import { expect, it, onTestFinished } from 'vitest'
import { startHttpServer } from '../support/httpServer.js'
import { workTools } from '../support/workServer.js'

const CALL = { name: 'ask', arguments: { questions: ['Sure?'] } }
const ACCEPTED = { action: 'accept', content: { ok: true } }
const FOREIGN = { refused: { name: 'TaskConfigurationError', message: expect.stringContaining('not called again') } }
const OVER = { refused: { name: 'SdkError', message: expect.stringContaining('is over') } }
const ANSWERED = { content: [{ type: 'text', text: JSON.stringify([ACCEPTED]) }] }

interface Answer {
  readonly requestState?: string
  readonly inputRequests?: Readonly<Record<string, unknown>>
}

/** Two processes of a host, and a server whose tool asks the user. */
async function setUp() {
  const mcp = await startHttpServer(createLiveServer({ tools: workTools, pollIntervalMs: 50 }))
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await mcp.close()
  })

  async function start() {
    const args = ['scripts/run.mjs', 'test/edges/withTasksProcess.ts', mcp.url]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    const lines = createInterface({ input: child.stdout })
    await once(lines, 'line')
    return {
      /** Sends this as a `tools/call`. Resolves to the response of the SDK client. */
      call: async (params: object): Promise<Answer> => {
        child.stdin.write(`${JSON.stringify(params)}\n`)
        const [line] = (await once(lines, 'line')) as [string]
        return JSON.parse(line)
      },
      kill: async () => {
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
    }
  }

  const [first, second] = await Promise.all([start(), start()])
  const { requestState = expect.fail(), inputRequests = {} } = await first.call(CALL)
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ACCEPTED]))
  const respond = (state = requestState) => ({ ...CALL, inputResponses, requestState: state })
  return { mcp, start, first, second, requestState, respond }
}

it('[EDGE-32] a response that reaches another process is refused, and the process that made the call can still send it', async () => {
  const { mcp, first, second, respond } = await setUp()
  expect(await second.call(respond())).toMatchObject(FOREIGN)
  expect(mcp.count('tasks/update')).toBe(0)
  expect(await first.call(respond())).toMatchObject(ANSWERED)
  expect([mcp.count('tools/call'), mcp.count('tasks/update')]).toEqual([1, 1])
}, 60_000)

it('[EDGE-32] a response that two processes get at once is sent by the one that made the call', async () => {
  const { mcp, first, second, respond } = await setUp()
  const [own, other] = await Promise.all([first.call(respond()), second.call(respond())])
  expect(own).toMatchObject(ANSWERED)
  expect(other).toMatchObject(FOREIGN)
  expect([mcp.count('tools/call'), mcp.count('tasks/update')]).toEqual([1, 1])
}, 60_000)

it('[EDGE-32] a state that was forged, or that was answered before, calls no tool', async () => {
  const { mcp, first, second, requestState, respond } = await setUp()
  const other = await second.call(CALL)
  expect(other.requestState).not.toBe(requestState)
  expect(await first.call(respond(other.requestState))).toMatchObject(FOREIGN)
  expect(await first.call(respond(`${requestState}1`))).toMatchObject(OVER)
  expect(await first.call(respond(requestState.replace(/:[^:]*:/, ':made-up:')))).toMatchObject(FOREIGN)
  expect(await first.call(respond())).toMatchObject(ANSWERED)
  expect(await first.call(respond())).toMatchObject(OVER)
  expect([mcp.count('tools/call'), mcp.count('tasks/update')]).toEqual([2, 1])
}, 60_000)

it('[EDGE-32] a response to a process that has ended since calls no tool in the next one', async () => {
  const { mcp, start, first, respond } = await setUp()
  await first.kill()
  const next = await start()
  expect(await next.call(respond())).toMatchObject(FOREIGN)
  expect([mcp.count('tools/call'), mcp.count('tasks/update')]).toEqual([1, 0])
}, 60_000)
