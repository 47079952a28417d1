import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTaskClient, type TaskClient } from 'taskwire'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { run } from '../../src/tools/cli/run.js'
import { freePort } from '../support/freePort.js'
import { taskwire, testTerminal } from './support/testTerminal.js'

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const STAGES = ['Analyzing content...', 'Synthesizing findings...', 'Generating report...']
const SLOW = 'trigger-long-running-operation'
const TOKEN = 'f81d4fae7dec11d0a76500a0c91e6bf6'

/** The published server-everything, over stdio, behind the gateway of the command line. */
async function serveEverything(...options: string[]): Promise<string> {
  const port = await freePort()
  const stop = new AbortController()
  const terminal = testTerminal({}, stop.signal)
  let isUp = () => {}
  const up = new Promise<void>((resolve) => {
    isUp = resolve
  })
  const print = (line: string) => {
    terminal.print(line)
    isUp()
  }
  const args = ['gateway', '--port', `${port}`, ...options, '--', process.execPath, everything, 'stdio']
  const exitCode = run(args, { ...terminal, print })
  onTestFinished(async () => {
    stop.abort()
    expect(await exitCode).toBe(0)
  })
  await Promise.race([up, exitCode])
  const host = options.includes('--host') ? options[options.indexOf('--host') + 1] : '127.0.0.1'
  expect(terminal.output.join('\n')).toContain(`16 tools at http://${host}:${port}/mcp`)
  return `http://${host}:${port}/mcp`
}

function open(url: string, options: Partial<Parameters<typeof createTaskClient>[0]> = {}): TaskClient {
  const client = createTaskClient({ url, crossTab: false, ...options } as Parameters<typeof createTaskClient>[0])
  onTestFinished(() => client.close())
  return client
}

describe('npx taskwire gateway', () => {
  it('makes a slow tool of a stdio server survive a reload', async () => {
    const url = await serveEverything('--after', '0.2')
    const storage = memoryStorage()
    const params = { name: SLOW, arguments: { duration: 2, steps: 4 } }
    const before = open(url, { storage })
    const call = before.startToolCall(params, { key: 'slow' })
    await new Promise<void>((resolve) => {
      call.subscribe(({ task }) => task !== undefined && resolve())
    })
    expect(call.getState()).toMatchObject({ phase: 'working', task: { status: 'working' } })
    await before.close()
    const again = open(url, { storage }).startToolCall(params, { key: 'slow' })
    expect(again.callId).toBe(call.callId)
    expect(JSON.stringify(await again.result)).toContain('Long running operation completed. Duration: 2 seconds')
  })

  it('answers a fast tool plainly, and asks the user what the server asks', async () => {
    const client = open(await serveEverything(), { input: { handlers: {} } })
    const echo = client.startToolCall({ name: 'echo', arguments: { message: 'hi' } })
    expect(await echo.result).toMatchObject({ content: [{ text: 'Echo: hi' }] })
    expect(echo.getState().task).toBeUndefined()
    const asks = client.startToolCall({ name: 'trigger-elicitation-request' })
    const key = await new Promise<string>((resolve) => {
      asks.subscribe(({ inputRequests }) => Object.keys(inputRequests).forEach(resolve))
    })
    await asks.respond(key, { action: 'decline' })
    expect(JSON.stringify(await asks.result)).toContain('User declined')
  })

  it('calls a tool that the server has as a task of 2025-11-25 only', { timeout: 30_000 }, async () => {
    const client = open(await serveEverything())
    const call = client.startToolCall({ name: 'simulate-research-query', arguments: { topic: 'tea' } })
    const messages = new Set<string | undefined>()
    call.subscribe(({ task }) => messages.add(task?.statusMessage))
    expect(JSON.stringify(await call.result)).toContain('Research Report: tea')
    // Polls see stages of a second each: which of them, depends on when they come.
    expect(STAGES.filter((stage) => messages.has(stage))).not.toEqual([])
  })

  it('lets in nobody but callers with the token, and pages that are named', async () => {
    const url = await serveEverything('--token', TOKEN, '--allow-origin', 'https://app.example')
    const ask = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401)
    const authorization = `Bearer ${TOKEN}`
    expect((await ask({ authorization, origin: 'https://evil.example' })).status).toBe(403)
    const page = await ask({ authorization, origin: 'https://app.example' })
    expect(page.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect((await fetch(new URL('/elsewhere', url))).status).toBe(404)
    const client = open(url, { headers: { authorization } })
    expect((await client.listTools()).length).toBe(16)
  })

  it('listens on the loopback address alone, if it is not told otherwise', async () => {
    const { port } = new URL(await serveEverything())
    const answers = (host: string) =>
      fetch(`http://${host}:${port}/mcp`).then(
        () => true,
        () => false,
      )
    expect(await answers('127.0.0.1')).toBe(true)
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))
    // A server that listens on every address answers at each of these.
    const others = ['127.0.0.2', ...addresses.filter((each) => each !== '127.0.0.1' && !each.includes(':'))]
    for (const host of others) expect(await answers(host)).toBe(false)
  })

  it('waits for a command that takes a minute to start, as `npx` does with a server that it has to install', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const stop = new AbortController()
    const terminal = testTerminal({}, stop.signal)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let ended: number | undefined
    const script = fileURLToPath(new URL('./support/lateServer.mjs', import.meta.url))
    const running = run(['gateway', '--port', '0', '--', process.execPath, script, folder], terminal).then((code) => {
      ended = code
    })
    while (!existsSync(join(folder, 'installing'))) await setImmediate()
    await vi.advanceTimersByTimeAsync(60_000)
    writeFileSync(join(folder, 'go'), '')
    while (terminal.output.length === 0 && ended === undefined) await setImmediate()
    expect(terminal.warnings).toEqual([])
    expect(terminal.output.join()).toContain('1 tool at')
    stop.abort()
    await running
    expect(ended).toBe(0)
  })

  it('runs the command of the command line, whatever a page sends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const url = await serveEverything()
    const made = join(folder, 'made')
    const other = { command: 'touch', args: [made], transport: { command: 'touch', args: [made] } }
    const query = new URLSearchParams({ command: 'touch', args: made })
    for (const [path, body] of [
      [`/mcp?${query}`, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: other, ...other }],
      [`/?${query}`, other],
      [`/servers?${query}`, other],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'x-command': `touch ${made}` }
      await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) })
    }
    expect((await open(url).listTools()).length).toBe(16)
    expect(await readdir(folder)).toEqual([])
  })

  it.each([[[]], [['--host', 'localhost']]])(
    'refuses requests whose Host is a name that somebody has made to point here: %j',
    async (options) => {
      const url = await serveEverything(...options)
      const statusOf = (host: string) =>
        new Promise((resolve, reject) => {
          request(url, { headers: { host } }, ({ statusCode }) => resolve(statusCode))
            .on('error', reject)
            .end()
        })
      expect(await statusOf('evil.example')).toBe(403)
      expect(await statusOf(new URL(url).host)).not.toBe(403)
    },
  )

  it.each([
    [['--host', '0.0.0.0', '--', 'server'], 'Name the pages that may, and a token'],
    [['--host', '0.0.0.0', '--token', TOKEN, '--', 'server'], 'Name the pages that may, and a token'],
    [['--allow-origin', 'https://app.example/path', '--', 'server'], 'is not an origin'],
    [['--token', 'short', '--', 'server'], 'The token is too short'],
    [['--after', '0', '--', 'server'], 'name those tools with --tasks'],
    [['--after', 'soon', '--', 'server'], 'is not a number of seconds'],
    [['--jobs', 'no/such/file.js', '--', 'server'], 'Failed to load the jobs of "no/such/file.js"'],
    [['--jobs', 'src/core/protocol/version.ts', '--', 'server'], 'exports no list of jobs'],
    [['--port', '99999', '--', 'server'], 'is not a port'],
    [['--header', 'A: b', '--', 'server'], 'for a server behind a URL'],
    [['https://a.example/mcp', '--', 'server'], 'Which server?'],
    [['server'], 'Which server?'],
    [[], 'Which server?'],
    [['--', 'no-such-command-here'], 'could not list the tools of its server: no-such-command-here'],
    [['http://127.0.0.1:9/mcp'], 'could not list the tools of its server: http://127.0.0.1:9/mcp'],
  ])('refuses %j', async (args, problem) => {
    const { exitCode, warnings } = await taskwire(['gateway', ...args])
    expect(warnings).toContain(problem)
    expect(exitCode).toBe(2)
  })

  it('prints its help', async () => {
    const { exitCode, output } = await taskwire(['gateway', '--help'])
    expect(output).toContain('npx taskwire gateway [options] -- <command>')
    expect(exitCode).toBe(0)
  })
})
