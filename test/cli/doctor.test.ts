import { describe, expect, it, onTestFinished } from 'vitest'
import { createDemoServer } from '../../demo/server/demoServer.js'
import { createLegacyServer } from '../../demo/server/legacyServer.js'
import type { Finding } from '../../src/tools/diagnose/check.js'
import type { Diagnosis } from '../../src/tools/diagnose/judge.js'
import { workTools } from '../support/workServer.js'
import { answer, type Doctored, doctoredServer, events, task } from './support/doctoredServer.js'
import { freedUrl, serve, serveNode } from './support/serve.js'
import { type TestTime, taskwire } from './support/testTerminal.js'
import { untrusted } from './support/untrusted.js'

const ORIGIN = 'https://app.example'
/** As of a page of this machine, which needs no leave to call it. */
const HOME = 'http://localhost:5173'

interface Examined {
  readonly exitCode: number
  readonly diagnosis: Diagnosis
  readonly findings: readonly Finding[]
}

/** Runs the doctor on a URL and reads what it prints for machines. */
async function examine(url: string, args: readonly string[] = [], time?: TestTime): Promise<Examined> {
  const { exitCode, output } = await taskwire(['doctor', url, '--json', ...args], time)
  const diagnosis = JSON.parse(output) as Diagnosis
  return { exitCode, diagnosis, findings: diagnosis.findings }
}

const asPage = (origin = HOME) => ['--origin', origin]

/** A server of its own page, behind what answers preflights for every page of this machine, as Vite does. */
const behindVite: Doctored = {
  request: (request) => {
    if (request.method !== 'OPTIONS') return undefined
    const headers = {
      'Access-Control-Allow-Origin': request.headers.get('origin') ?? '',
      'Access-Control-Allow-Headers': request.headers.get('access-control-request-headers') ?? '',
      'Access-Control-Max-Age': '600',
    }
    return new Response(null, { status: 204, headers })
  },
  response: (headers, { body, status }, request) => {
    const origin = request.headers.get('origin')
    if (origin !== null) headers.set('access-control-allow-origin', origin)
    return new Response(body, { status, headers })
  },
}

/** A server behind the same middleware on the way out. */
const withHeaders = (change: (headers: Headers) => void): Doctored => ({
  response: (headers) => {
    change(headers)
    return undefined
  },
})

describe('the doctor finds nothing', () => {
  it('on the server of the demo, for a page of another origin', async () => {
    const server = createDemoServer({ cors: true })
    onTestFinished(() => server.close())
    const { findings, exitCode, diagnosis } = await examine(await serve(server.fetch), asPage())
    expect(findings).toEqual([])
    expect(exitCode).toBe(0)
    expect(diagnosis.server).toEqual({ revision: '2026-07-28', name: 'taskwire-demo 1.0.0', servesTasks: true })
    const outcomes = Object.fromEntries(diagnosis.checks.map(({ id, outcome }) => [id, outcome]))
    expect(outcomes).toMatchObject({
      'preflight-headers': 'ok',
      'error-origin': 'ok',
      'unknown-task': 'ok',
      push: 'ok',
    })
  })

  it('on a bare createTaskServer, whose page has its origin', async () => {
    const { findings, exitCode } = await examine(await serve(doctoredServer({}, { cors: false })))
    expect(findings).toEqual([])
    expect(exitCode).toBe(0)
  })

  it('on a server that names its one origin, where nobody has said which the page has', async () => {
    const url = await serve(doctoredServer({}, { cors: { origin: ORIGIN } }))
    expect((await examine(url)).findings).toEqual([])
  })

  it('on a server of 2025-11-25 with sessions, for a page of its own origin', async () => {
    const legacy = createLegacyServer()
    onTestFinished(() => legacy.close())
    const url = await serveNode(legacy.handle)
    const { findings, diagnosis } = await examine(url, asPage(new URL(url).origin))
    expect(findings).toEqual([])
    expect(diagnosis.server).toMatchObject({ revision: '2025-11-25', servesTasks: true })
  })
})

it('the doctor leaves an open stream when it has watched long enough', async () => {
  let leave = () => {}
  const isLeft = new Promise<void>((resolve) => {
    leave = resolve
  })
  const open: Doctored = {
    request: ({ signal }, message) => {
      if (message['method'] !== 'subscriptions/listen') return undefined
      signal.addEventListener('abort', leave)
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(': hello\r\n\r\n')),
      })
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
    },
  }
  const url = await serve(doctoredServer(open))
  const { diagnosis, findings } = await examine(url, ['--idle', '65'], { fires: (ms) => ms === 65_000 })
  expect(findings).toEqual([])
  expect(diagnosis.checks).toContainEqual(expect.objectContaining({ id: 'idle-stream', outcome: 'ok' }))
  await isLeft
})

interface Wrong {
  readonly server: Doctored
  readonly options?: { cors: undefined }
  readonly finds: string
  readonly says: RegExp
  readonly args?: string[]
  readonly time?: TestTime
}

/** One server for each finding; nothing else about it is wrong. */
const wrong: Record<string, Wrong> = {
  'redirects to a URL with a slash at its end': {
    server: { request: ({ url }) => new Response(null, { status: 308, headers: { Location: `${url}/` } }) },
    finds: 'redirect',
    says: /redirects to .*\/mcp\//,
  },
  'answers with a page of HTML': {
    server: { request: () => new Response('<h1>Sign in</h1>', { headers: { 'Content-Type': 'text/html' } }) },
    finds: 'mcp',
    says: /does not lead to an MCP server: HTTP 200 with a page of HTML/,
  },
  'has nothing at the URL': {
    server: { request: () => new Response('Not found', { status: 404 }) },
    finds: 'mcp',
    says: /HTTP 404/,
  },
  'knows no CORS': {
    server: { request: ({ method }) => (method === 'OPTIONS' ? new Response(null, { status: 405 }) : undefined) },
    finds: 'preflight',
    says: /Pages of http:\/\/localhost:5173 may not call the server.*HTTP 405/,
  },
  'asks preflights for credentials': {
    server: { request: ({ method }) => (method === 'OPTIONS' ? new Response(null, { status: 401 }) : undefined) },
    finds: 'preflight',
    says: /Preflights are answered with HTTP 401/,
  },
  'does not allow the headers of 2026-07-28': {
    server: withHeaders((headers) => {
      if (headers.has('access-control-allow-headers')) {
        headers.set('access-control-allow-headers', 'content-type, mcp-protocol-version, mcp-session-id')
      }
    }),
    finds: 'preflight-headers',
    says: /does not let pages send mcp-method and mcp-name/,
  },
  'allows every header by "*", and takes tokens': {
    server: withHeaders((headers) => {
      if (headers.has('access-control-allow-headers')) headers.set('access-control-allow-headers', '*')
    }),
    args: ['--header', 'Authorization: Bearer secret'],
    finds: 'preflight-headers',
    says: /"\*" does not cover authorization/,
  },
  'lets browsers keep no permission': {
    server: withHeaders((headers) => headers.delete('access-control-max-age')),
    finds: 'max-age',
    says: /for 5 s only/,
  },
  'has CORS for preflights only': {
    server: {
      response: (headers, _, { method }) => {
        if (method === 'POST') headers.delete('access-control-allow-origin')
        return undefined
      },
    },
    finds: 'response-origin',
    says: /come without Access-Control-Allow-Origin/,
  },
  'refuses pages whose preflight something else has answered': {
    server: behindVite,
    options: { cors: undefined },
    finds: 'response-origin',
    says: /The preflight is fine, but the server refuses requests of http:\/\/localhost:5173 with HTTP 403/,
  },
  'has CORS for what goes well only': {
    server: {
      response: (headers, { status }) => {
        if (status >= 400) headers.delete('access-control-allow-origin')
        return undefined
      },
    },
    finds: 'error-origin',
    says: /Responses with an error status come without/,
  },
  'exposes no headers': {
    server: withHeaders((headers) => headers.delete('access-control-expose-headers')),
    finds: 'exposed-headers',
    says: /cannot read Retry-After/,
  },
  'does not expose where to sign in': {
    server: {
      request: ({ method }) =>
        method === 'POST'
          ? new Response(null, {
              status: 401,
              headers: {
                'WWW-Authenticate': 'Bearer',
                'Access-Control-Allow-Origin': '*',
                'Access-Control-Expose-Headers': 'Retry-After',
              },
            })
          : undefined,
    },
    finds: 'exposed-headers',
    says: /cannot read WWW-Authenticate/,
  },
  'is on a private address, and the page on a public one': {
    server: {},
    args: asPage(ORIGIN),
    finds: 'private-network',
    says: /Access-Control-Allow-Private-Network/,
  },
  'does not say that it serves tasks': {
    server: {
      request: (_, message) =>
        message['method'] === 'server/discover'
          ? answer(message, { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } })
          : undefined,
    },
    finds: 'tasks',
    says: /does not say that it serves tasks/,
  },
  'answers for tasks that do not exist': {
    server: {
      request: (_, message) =>
        message['method'] === 'tasks/get' ? answer(message, { error: { code: -32603, message: 'Oops' } }) : undefined,
    },
    finds: 'unknown-task',
    says: /the error -32603: Oops; the specification wants the error -32602/,
  },
  'serves no tasks/get': {
    server: {
      request: (_, message) =>
        message['method'] === 'tasks/get' ? new Response('No route', { status: 404 }) : undefined,
    },
    finds: 'unknown-task',
    says: /got HTTP 404 with text\/plain/,
  },
  'answers a stream with something else': {
    server: {
      request: (_, message) =>
        message['method'] === 'subscriptions/listen' ? answer(message, { result: {} }) : undefined,
    },
    finds: 'push',
    says: /got no event stream: HTTP 200 with a result/,
  },
  'is behind a proxy that cuts streams': {
    server: {
      request: (_, message) =>
        message['method'] === 'subscriptions/listen'
          ? events({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: {} })
          : undefined,
    },
    finds: 'idle-stream',
    says: /cut off after .* without a final message/,
  },
  'forgets the task that it has just made': {
    server: {
      request: (_, message) =>
        message['method'] === 'tools/call'
          ? answer(message, { result: { resultType: 'task', ...task('working') } })
          : undefined,
    },
    args: ['--tool', 'report'],
    finds: 'task',
    says: /does not know the task that it has just created for "report"/,
  },
  'sends a task without a status': {
    server: {
      request: (_, message) =>
        message['method'] === 'tools/call'
          ? answer(message, { result: { resultType: 'task', ...task('working'), status: 'busy' } })
          : undefined,
    },
    args: ['--tool', 'report'],
    finds: 'task',
    says: /broke the specification/,
  },
  'does not know the tool': {
    server: {},
    args: ['--tool', 'nothing'],
    finds: 'task',
    says: /refused to call "nothing"/,
  },
}

describe('the doctor finds one thing on a server that', () => {
  it.each(Object.entries(wrong))('%s', async (_, { server, options, finds, says, args = [], time }) => {
    const url = await serve(doctoredServer(server, options as never))
    const { findings, exitCode } = await examine(url, args.includes('--origin') ? args : [...asPage(), ...args], time)
    expect(findings.map(({ check }) => check)).toEqual([finds])
    expect(findings[0]?.problem).toMatch(says)
    expect(findings[0]?.remedy).not.toBe('')
    expect(exitCode).toBe(1)
  })

  it('is behind a proxy that holds streams back', async () => {
    let giveUp = () => {}
    const isUp = new Promise<void>((resolve) => {
      giveUp = resolve
    })
    const held: Doctored = {
      request: (_, message) => {
        if (message['method'] !== 'subscriptions/listen') return undefined
        giveUp()
        return new Promise<Response>(() => {})
      },
    }
    const { findings } = await examine(await serve(doctoredServer(held)), asPage(), { isUp })
    expect(findings.map(({ check }) => check)).toEqual(['push'])
    expect(findings[0]?.problem).toContain('nothing comes through')
  })

  it('speaks 2025-11-25 and does not expose its session', async () => {
    const legacy = createLegacyServer()
    onTestFinished(() => legacy.close())
    const url = await serveNode((request, response) => {
      response.setHeader('Access-Control-Allow-Origin', '*')
      response.setHeader('Access-Control-Allow-Headers', 'content-type, mcp-protocol-version, mcp-session-id')
      response.setHeader('Access-Control-Max-Age', '600')
      response.setHeader('Access-Control-Expose-Headers', 'Retry-After')
      if (request.method === 'OPTIONS') response.writeHead(204).end()
      else legacy.handle(request, response)
    })
    const { findings } = await examine(url, asPage())
    expect(findings.map(({ check, problem }) => [check, problem])).toEqual([
      ['exposed-headers', expect.stringContaining('cannot read Mcp-Session-Id')],
    ])
  })

  it('speaks a revision that had no tasks', async () => {
    const old: Doctored = {
      request: (_, message) => {
        if (message['method'] === 'server/discover') return answer(message, { error: { code: -32601, message: 'No' } })
        if (message['method'] !== 'initialize') return undefined
        return answer(message, { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} } } })
      },
    }
    const { findings } = await examine(await serve(doctoredServer(old)), asPage())
    expect(findings.map(({ check }) => check)).toEqual(['tasks'])
    expect(findings[0]?.problem).toContain('MCP 2025-06-18, which has no tasks')
  })

  it('has no TLS, while the page has', async () => {
    const time = { fires: () => true }
    const { findings } = await examine('http://203.0.113.1/mcp', [...asPage(ORIGIN)], time)
    expect(findings.map(({ check }) => check)).toContain('mixed-content')
  })
})

describe('the doctor names the line that mends it', () => {
  it('for Express, Hono, FastMCP and nginx', async () => {
    const url = await serve(doctoredServer(wrong['does not allow the headers of 2026-07-28']?.server))
    const { output } = await taskwire(['doctor', url, ...asPage()])
    const names = "'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'"
    expect(output).toContain(`Express  cors({ …, allowedHeaders: [${names}] })`)
    expect(output).toContain(`Hono     cors({ …, allowHeaders: [${names}] })`)
    expect(output).toContain(`FastMCP  Middleware(CORSMiddleware, …, allow_headers=[${names}])`)
    expect(output).toContain(`nginx    add_header Access-Control-Allow-Headers '`)
    expect(output).toMatch(/1 finding\.$/)
  })
})

describe('the doctor follows a task', () => {
  const steps = [
    task('working', { statusMessage: 'Reading', pollIntervalMs: 250 }),
    task('working', { statusMessage: 'Writing \u001b[31m' }),
    task('completed', { result: { content: [] } }),
  ]
  const polled = (): Doctored => {
    const left = [...steps]
    return {
      request: (_, message) => {
        const isReal = (message['params'] as { taskId?: string } | undefined)?.taskId === 'task-0123456789'
        if (message['method'] === 'tools/call')
          return answer(message, { result: { resultType: 'task', ...task('working') } })
        if (message['method'] !== 'tasks/get' || !isReal) return undefined
        return answer(message, { result: { resultType: 'complete', ...left.shift() } })
      },
    }
  }
  const answering = (called: object, tasks: readonly object[]): Doctored => ({
    request: (_, message) => {
      const isReal = (message['params'] as { taskId?: string } | undefined)?.taskId === 'task-0123456789'
      if (message['method'] === 'tools/call') return answer(message, { result: { resultType: 'complete', ...called } })
      if (message['method'] === 'tasks/cancel') return answer(message, { result: {} })
      if (message['method'] !== 'tasks/get' || !isReal) return undefined
      return answer(message, { result: { resultType: 'complete', ...tasks[0] } })
    },
  })
  const call = ['--tool', 'report', '--arguments', '{"quarter":"Q3"}', ...asPage()]

  it('from start to end, no faster than the server asks, and prints a table of its polls', async () => {
    const url = await serve(doctoredServer(polled()))
    const { output, exitCode } = await taskwire(['doctor', url, ...call])
    expect(output.split('\n').slice(0, 6)).toEqual([
      'Polls of "report"',
      '       at     took  status          interval  message',
      '    0.5 s     0 ms  working           250 ms  Reading',
      '    0.8 s     0 ms  working           500 ms  Writing  [31m',
      '    1.3 s     0 ms  completed         500 ms',
      'The task of "report": completed, after 3 polls.',
    ])
    expect(exitCode).toBe(0)
  })

  it('also where a proxy answers a poll in its place, which breaks no specification', async () => {
    const { request } = polled()
    let polls = 0
    const away = () => new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })
    const isAway = (message: Record<string, unknown>) =>
      message['method'] === 'tasks/get' &&
      JSON.stringify(message).includes('task-0123456789') &&
      [1, 3].includes(polls++)
    const url = await serve(doctoredServer({ request: (...of) => (isAway(of[1]) ? away() : request?.(...of)) }))
    const { output, exitCode } = await taskwire(['doctor', url, ...call])
    expect(output.split('\n').slice(3, 5)).toEqual([
      '    0.8 s     0 ms                            HTTP 502 with text/html',
      '    1.0 s     0 ms  working           500 ms  Writing  [31m',
    ])
    expect(output).toContain('The task of "report": completed, after 5 polls.')
    expect(exitCode).toBe(0)
  })

  it('and hands the polls to machines', async () => {
    const url = await serve(doctoredServer(polled()))
    const { diagnosis } = await examine(url, call)
    expect(diagnosis.run).toMatchObject({ outcome: 'completed', polls: [{ atMs: 500 }, { atMs: 750 }, { atMs: 1250 }] })
  })

  it.each<[what: string, called: object, tasks: object[], says: RegExp]>([
    [
      'fails with its task',
      { resultType: 'task', ...task('working') },
      [task('failed', { statusMessage: 'No disk', error: { code: -32603, message: 'Internal error' } })],
      /^The protocol holds, but the tool "report" failed: No disk\.$/,
    ],
    [
      'fails with its task, which has an error and no message',
      { resultType: 'task', ...task('working') },
      [task('failed', { error: { code: -32021, message: 'Missing required client capability' } })],
      /failed: Missing required client capability\.$/,
    ],
    [
      'ends its task with an error for the model',
      { resultType: 'task', ...task('working') },
      [task('completed', { result: { isError: true, content: [{ type: 'text', text: 'No such quarter.' }] } })],
      /failed: No such quarter\.$/,
    ],
    [
      'fails at once',
      { isError: true, content: [{ type: 'text', text: 'Input validation error' }] },
      [],
      /failed: Input validation error\.$/,
    ],
    [
      'is cancelled by the server',
      { resultType: 'task', ...task('working') },
      [task('cancelled')],
      /cancelled the task/,
    ],
  ])('and finds no task that runs to its end where the tool %s', async (_, called, tasks, says) => {
    const url = await serve(doctoredServer(answering(called, tasks)))
    const { diagnosis, findings, exitCode } = await examine(url, call)
    expect(findings).toEqual([expect.objectContaining({ check: 'task', problem: expect.stringMatching(says) })])
    expect(diagnosis.checks).toContainEqual(expect.objectContaining({ id: 'task', outcome: 'found' }))
    expect(exitCode).toBe(1)
  })

  it.each<[what: string, called: object, tasks: object[]]>([
    ['answers at once', { content: [] }, []],
    ['asks for input before it has a task', { resultType: 'input_required', inputRequests: {} }, []],
    ['asks for input', { resultType: 'task', ...task('working') }, [task('input_required', { inputRequests: {} })]],
  ])('and says nothing of it where the tool %s', async (_, called, tasks) => {
    const { diagnosis, exitCode } = await examine(await serve(doctoredServer(answering(called, tasks))), call)
    expect(diagnosis.checks).toContainEqual(expect.objectContaining({ id: 'task', outcome: 'not told' }))
    expect(exitCode).toBe(0)
  })

  it.each([
    [
      'while its task runs',
      'ask',
      { questions: ['Sure?'] },
      /^The task of "ask" asks for input, which only an app can give: it was cancelled\.$/m,
    ],
    ['before there is a task', 'ask_early', { message: 'Sure?' }, /^"ask_early" asks for input before it has a task/m],
  ])('and says that the tool asks %s', async (_, tool, input, says) => {
    const url = await serve(doctoredServer({}, { tools: workTools }))
    const args = ['--tool', tool, '--arguments', JSON.stringify(input), ...asPage()]
    expect((await taskwire(['doctor', url, ...args])).output).toMatch(says)
  })

  describe('of a server of 2025-11-25', () => {
    const TASKS = { tasks: { requests: { tools: { call: {} } } } }
    const {
      ttlMs: ttl,
      pollIntervalMs: pollInterval,
      ...of
    } = task('working') as { ttlMs: number; pollIntervalMs: number }
    /** A server that gives a list of tools by pages, and makes tasks of calls that ask for one. */
    const legacyTasks = (status: string, result: object): Doctored => ({
      request: (_, message) => {
        const { cursor, task: wanted } = message['params'] as { cursor?: string; task?: object }
        const answers: Record<string, object> = {
          initialize: { protocolVersion: '2025-11-25', capabilities: TASKS, serverInfo: { name: 'old' } },
          'tools/list':
            cursor === undefined
              ? { tools: [{ name: 'other', inputSchema: { type: 'object' } }], nextCursor: '2' }
              : { tools: [{ name: 'report', execution: { taskSupport: 'required' } }] },
          'tools/call': { task: { ...of, ttl, pollInterval } },
          'tasks/get': { ...of, ttl, pollInterval, status },
          'tasks/result': result,
        }
        const method = String(message['method'])
        if (method === 'notifications/initialized') return new Response(null, { status: 202 })
        const isRefused = method === 'tools/call' && wanted === undefined
        const found = isRefused ? undefined : answers[method]
        const error = { code: -32601, message: isRefused ? 'It has to be called as a task' : 'No such method' }
        return answer(message, found === undefined ? { error } : { result: found as Record<string, unknown> })
      },
    })

    it('also where the tool is on a later page of the list', async () => {
      const url = await serve(doctoredServer(legacyTasks('completed', { content: [] })))
      const { diagnosis } = await examine(url, call)
      expect(diagnosis.run).toMatchObject({ outcome: 'completed', polls: [{ status: 'completed' }] })
    })

    it.each(['completed', 'failed'])(
      'and says what its tool says that has failed, of a task that is %s',
      async (status) => {
        const result = { isError: true, content: [{ type: 'text', text: 'No such quarter.' }] }
        const url = await serve(doctoredServer(legacyTasks(status, result)))
        const { findings } = await examine(url, call)
        const problem = 'The protocol holds, but the tool "report" failed: No such quarter.'
        expect(findings).toContainEqual(expect.objectContaining({ check: 'task', problem }))
      },
    )
  })

  it('of a server of 2025-11-25 that answers at once', async () => {
    const legacy = createLegacyServer()
    onTestFinished(() => legacy.close())
    const url = await serveNode(legacy.handle)
    const { diagnosis } = await examine(url, ['--tool', 'farm_status'])
    expect(diagnosis.run).toMatchObject({ outcome: 'result', polls: [] })
  })
})

describe('the doctor cannot ask', () => {
  it('a server that hangs, and says so when the time is up', async () => {
    const url = await serveNode(() => {})
    const { exitCode, output } = await taskwire(['doctor', url], { fires: () => true })
    expect(exitCode).toBe(2)
    expect(output).toContain('The server could not be reached: no response within 10 s.')
    expect(output).toContain('Check that the server runs and that nothing in front of it holds the request back.')
  })

  it('where nothing listens', async () => {
    const { exitCode, output } = await taskwire(['doctor', await freedUrl()])
    expect(exitCode).toBe(2)
    expect(output).toMatch(/could not be reached: .*ECONNREFUSED/)
    expect(output).toContain('Start the server, or check the port in the URL.')
  })

  it('by a port that browsers refuse', async () => {
    const { exitCode, output } = await taskwire(['doctor', 'http://127.0.0.1:1/mcp'])
    expect(exitCode).toBe(2)
    expect(output).toContain('could not be reached: bad port')
  })

  it('a server with a certificate that browsers refuse', async () => {
    const url = await serveNode((_, response) => void response.end(), untrusted)
    const { exitCode, output } = await taskwire(['doctor', url])
    expect(exitCode).toBe(2)
    expect(output).toContain('NODE_EXTRA_CA_CERTS=ca.pem')
  })

  it('a server that has no TLS by https:', async () => {
    const url = await serve(doctoredServer())
    const { exitCode, output } = await taskwire(['doctor', url.replace('http:', 'https:')])
    expect(exitCode).toBe(2)
    expect(output).toContain('does not speak TLS')
  })

  it.each([
    [401, "Pass them to run the other checks: --header 'Authorization: Bearer …'"],
    [403, 'It refuses access with HTTP 403: check the credentials, and which hosts and origins it allows.'],
  ])('what is behind HTTP %i, and says how', async (status, says) => {
    const url = await serve(async () => new Response(null, { status }))
    const { exitCode, output } = await taskwire(['doctor', url])
    expect(exitCode).toBe(2)
    expect(output).toContain(says)
  })

  it.each([
    [['doctor'], /Which server\? Pass its URL/],
    [['doctor', 'api.example'], /"api\.example" is not an http: or https: URL/],
    [['doctor', 'http://x/mcp', 'http://y/mcp'], /One argument is too many: http:\/\/y\/mcp/],
    [['doctor', 'http://x/mcp', '--orign', 'x'], /Unknown option '--orign'\. See: npx taskwire doctor --help/],
    [['doctor', 'http://x/mcp', '--origin', 'https://app.example/'], /not an origin\. Pass scheme, host and port only/],
    [['doctor', 'http://x/mcp', '--header', 'nonsense'], /"nonsense" is not a header/],
    [['doctor', 'http://x/mcp', '--arguments', '{}'], /--arguments needs --tool/],
    [['doctor', 'http://x/mcp', '--tool', 'a', '--arguments', '[1]'], /has to be a JSON object/],
    [['doctor', 'http://x/mcp', '--timeout', 'soon'], /not a number of seconds/],
  ])('with the arguments %j', async (args, says) => {
    const { exitCode, warnings, output } = await taskwire(args)
    expect(warnings).toMatch(says)
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' })
  })
})

describe('the doctor without --origin', () => {
  it.each<[what: string, options: { cors?: true }, doctored: Doctored]>([
    ['lets no other origin in', {}, {}],
    [
      'lets every origin in, and keeps no permission and exposes no header',
      { cors: true },
      {
        response: (headers, { body, status }) => {
          headers.delete('access-control-max-age')
          headers.delete('access-control-expose-headers')
          return new Response(body, { status, headers })
        },
      },
    ],
  ])(
    '[EDGE-41] finds nothing, and says that CORS was not checked, where the server %s',
    async (_, options, doctored) => {
      const url = await serve(doctoredServer(doctored, { cors: undefined, ...options } as never))
      const { output, exitCode } = await taskwire(['doctor', url])
      expect(output).toContain('CORS was not checked because no --origin was given.')
      expect(output).not.toContain('Nothing found')
      expect(exitCode).toBe(0)
      const { diagnosis } = await examine(url)
      expect(diagnosis).toMatchObject({ cors: 'not checked', findings: [] })
      expect(diagnosis.origin).toBeUndefined()
    },
  )

  it('[EDGE-41] names the origin that it made up, where what it finds is about CORS', async () => {
    const url = await serve(doctoredServer(withHeaders((headers) => headers.delete('access-control-allow-headers'))))
    const { output, exitCode } = await taskwire(['doctor', url])
    expect(output).toContain('!! preflight-headers')
    expect(output).toContain(`No --origin was given, so CORS was checked for a page of ${HOME}.`)
    expect(output).not.toContain('CORS was not checked')
    expect(exitCode).toBe(1)
  })

  it('[EDGE-41] asks without an origin where the made-up one passes the preflight, and the server refuses it', async () => {
    const url = await serve(doctoredServer(behindVite, { cors: undefined } as never))
    const { output, exitCode } = await taskwire(['doctor', url])
    expect(output).toContain('ok It speaks MCP (mcp)')
    expect(output).toContain('CORS was not checked because no --origin was given.')
    expect(output).not.toContain('(preflight)')
    expect(output).not.toContain('403')
    expect(exitCode).toBe(0)
    expect((await examine(url)).diagnosis).toMatchObject({ cors: 'not checked', findings: [] })
  })

  it('[EDGE-41] finds nothing at all where --origin is that of the server, which needs no CORS', async () => {
    const url = await serve(doctoredServer({}, { cors: undefined } as never))
    const args = asPage(new URL(url).origin)
    expect((await taskwire(['doctor', url, ...args])).output).toContain('Nothing found.')
    expect((await examine(url, args)).diagnosis.cors).toBe('not needed')
  })
})

const UNIMPLEMENTED = { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'Not implemented' } }

describe('the doctor on a server that answers with HTTP 501', () => {
  it.each<[what: string, body: string, type: string]>([
    ['a page of HTML', '<h1>Unsupported method</h1>', 'text/html'],
    ['a text', 'Unsupported method', 'text/plain'],
  ])('[EDGE-41] and %s says that the URL is wrong', async (_, body, type) => {
    const url = await serve(async () => new Response(body, { status: 501, headers: { 'Content-Type': type } }))
    const { output } = await taskwire(['doctor', url])
    expect(output).toContain('Check that the URL is that of the MCP endpoint')
    expect(output).not.toContain('fault')
  })

  it.each<[what: string, body: object]>([
    ['an MCP error', UNIMPLEMENTED],
    ['other JSON', { message: 'Not implemented' }],
  ])('[EDGE-41] and %s says that the fault is in the server', async (_, body) => {
    const url = await serve(async () => Response.json(body, { status: 501 }))
    const { output } = await taskwire(['doctor', url])
    expect(output).toContain('The fault is in the server')
    expect(output).not.toContain('Check that the URL')
  })
})
