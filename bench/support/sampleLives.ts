import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createTaskServer, defineTool } from 'taskwire/server'
import { rpcRequest } from '../../test/server/support/rpc.js'
import { median } from './report.js'
import { inputSchema, type Kind, load, type Serve, serverInfo, storeOf } from './sampleServer.js'

const CALLS = 400
const ROUNDS = 9
/** So many that the waiting of some is filled with the work of others. */
const AT_A_TIME = 64
/** How long the tool works, and how long its caller waits before each poll, ms. */
const WORK_MS = 1
const POLL_MS = 10

/** Whole lives: a call becomes a task, the tool waits and returns, the result is fetched. Beside an echo that waits as long. */
export async function sampleLives({ kind, url }: { kind: Kind; url: string }): Promise<{
  echoesPerSecond: number
  livesPerSecond: number
  /** What a life takes beside an echo, and what this process computes for it. */
  lifeByEcho: number
  cpuByEcho: number
  pollsPerLife: number
}> {
  const { store } = storeOf(kind, url)
  const work = defineTool({
    name: 'work',
    taskSupport: 'required',
    inputSchema,
    async handler({ text }, { sleep }) {
      await sleep(WORK_MS)
      return { content: [{ type: 'text', text }] }
    },
  })
  const limits = { maxTasks: 1_000_000, maxTasksPerOwner: 1_000_000 }
  const server = createTaskServer({ serverInfo, tools: [work], store, ...limits })
  const handler = createMcpHandler(async () => {
    const sdk = new McpServer(serverInfo)
    sdk.registerTool('echo', { inputSchema }, async ({ text }) => {
      await pause(WORK_MS)
      return { content: [{ type: 'text', text }] }
    })
    return sdk
  })
  const echo: Serve = (request) => handler.fetch(request)
  const serve: Serve = (request) => server.fetch(request)
  let polls = 0

  async function fetchResult(response: Response): Promise<void> {
    const { result } = (await response.json()) as { result: { taskId: string } }
    for (let status = ''; status !== 'completed'; ) {
      await pause(POLL_MS)
      polls += 1
      const answer = await serve(rpcRequest('tasks/get', { taskId: result.taskId }))
      status = ((await answer.json()) as { result: { status: string } }).result.status
    }
  }

  const callOf = (name: string) => () => rpcRequest('tools/call', { name, arguments: { text: 'hello' } })
  const echoes = () => load(echo, callOf('echo'), CALLS, (response) => response.text(), AT_A_TIME)
  const lives = () => load(serve, callOf('work'), CALLS, fetchResult, AT_A_TIME)
  // Warm.
  await echoes()
  await lives()
  polls = 0
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push({ echo: await echoes(), life: await lives() })
  return {
    echoesPerSecond: median(rounds.map(({ echo }) => echo.perSecond)),
    livesPerSecond: median(rounds.map(({ life }) => life.perSecond)),
    lifeByEcho: median(rounds.map(({ echo, life }) => echo.perSecond / life.perSecond)),
    cpuByEcho: median(rounds.map(({ echo, life }) => life.cpuMs / echo.cpuMs)),
    pollsPerLife: polls / (ROUNDS * CALLS),
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
