import type { Clock } from '../../server/base/clock.js'
import { createTaskServer } from '../../server/createTaskServer.js'
import { whoSends } from '../../server/http/authenticate.js'
import { ownerOf } from '../../server/http/ownerOf.js'
import type { TaskServerOptions } from '../../server/taskServerOptions.js'
import type { ToolDefinition } from '../../server/tools/defineTool.js'
import type { Faults } from './faults.js'
import { createFaultyNetwork } from './faultyNetwork.js'
import { createRequestLog, type RequestLog } from './requestLog.js'
import { createScriptedTasks } from './scriptedTasks.js'
import { type ScriptedTask, scriptedTool } from './scriptTask.js'

/** The options of all test servers. The other options are those of `createTaskServer`. */
export interface ObservedServerOptions extends Partial<Omit<TaskServerOptions, 'tools' | 'clock'>> {
  /** Tools from `defineTool`, which do their work, and from `scriptTask`, which follow their script. */
  tools: readonly (ToolDefinition | ScriptedTask)[]
  /** The URL for clients. @default 'http://localhost/mcp' */
  url?: string
  /** Whether the server supports `subscriptions/listen`. @default false: clients poll, so a test can count their requests */
  push?: boolean
}

/** A task server in memory, with a log of its requests and switches for faults. */
export interface ObservedServer extends RequestLog {
  readonly url: string
  /** Answers a request, or makes it fail as `faults` specify. Pass it as `transportOptions.fetch`, for instance. */
  readonly fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>
  readonly faults: Faults
  /** Clears the log of requests and switches every fault off. For a server that several tests use. */
  reset(): void
  /** Stops all work. */
  close(): Promise<void>
}

/** A task server that lives by this clock. */
export function createObservedServer(options: ObservedServerOptions, clock: Clock): ObservedServer {
  const { tools, url = 'http://localhost/mcp', pollIntervalMs = 1000, push = false, ...rest } = options
  const scripts = tools.flatMap((tool) => (isScripted(tool) ? [tool] : []))
  const real = tools.flatMap((tool) => (isScripted(tool) ? [] : [tool]))
  const listed = scripts.flatMap((script) => (script.name === undefined ? [] : [scriptedTool(script.name, script)]))
  const server = createTaskServer({
    serverInfo: { name: 'test', version: '1.0.0' },
    ...rest,
    push,
    pollIntervalMs,
    clock,
    tools: [...real, ...listed],
  })
  const log = createRequestLog(clock)
  const { faults, transmit } = createFaultyNetwork(clock)
  const toolNames = new Set(real.map(({ name }) => name))
  const scripted = createScriptedTasks({
    scripts,
    toolNames,
    pollIntervalMs: typeof pollIntervalMs === 'number' ? pollIntervalMs : 1000,
    clock,
  })

  /** Whose tasks a request may see; the response to one that is refused. */
  async function admit(request: Request): Promise<string | Response> {
    const { authenticate } = options
    // Of a copy: if no script answers, the server still has to read the body of this request.
    const found = authenticate && (await whoSends(request.clone(), authenticate))
    return found instanceof Response ? found : ownerOf({ request: request.clone(), authInfo: found }, options)
  }

  async function serve(request: Request, body: unknown): Promise<Response> {
    const owner = scripted.isAbout(body) ? await admit(request) : ''
    if (owner instanceof Response) return owner
    const played = scripted.answer(body, owner)
    if (played !== undefined) return played
    const response = await server.fetch(request)
    return push ? scripted.push(request, body, owner, response) : response
  }

  return {
    url,
    requests: log.requests,
    count: log.count,
    times: log.times,
    faults,
    async fetch(input, init) {
      const request = new Request(input, init)
      request.signal.throwIfAborted()
      const body = await bodyOf(request)
      const { method } = log.add(request, body)
      return transmit(request, method, () => serve(request, body))
    },
    reset() {
      log.clear()
      faults.clear()
    },
    async close() {
      scripted.close()
      await server.close()
    },
  }
}

function isScripted(tool: ToolDefinition | ScriptedTask): tool is ScriptedTask {
  return 'steps' in tool
}

/** What the request says, unless it is no JSON. The request itself stays to be read. */
async function bodyOf(request: Request): Promise<unknown> {
  try {
    return await request.clone().json()
  } catch {
    return undefined
  }
}
