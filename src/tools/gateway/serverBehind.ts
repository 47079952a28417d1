import type { Tool, Transport } from '@modelcontextprotocol/client'
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server'
import { TaskError } from '../../core/protocol/errors.js'
import { supportsTasks } from '../../core/protocol/extension.js'
import type { Job } from '../../core/wire/jobs/job.js'
import { isUnauthorized } from '../../core/wire/signInErrors.js'
import { createBackoff } from '../../server/base/backoff.js'
import { type Clock, unrefTimer } from '../../server/base/clock.js'
import { INTERNAL_ERROR } from '../../server/base/errorCodes.js'
import type { ReportError } from '../../server/base/reportError.js'
import { sleep } from '../../server/base/sleep.js'
import type { ToolDefinition } from '../../server/tools/defineTool.js'
import { callAsTask } from './callAsTask.js'
import { callBehind, isSessionLost, isStopped } from './callBehind.js'
import { createConnectionBehind } from './connectionBehind.js'
import { createListedTools } from './listedTools.js'
import type { CallBehind } from './toolsBehind.js'
import { withRequestMeta } from './withRequestMeta.js'

/** The server behind the calls of one owner: connected when it is needed, and again where the connection was lost. */
export interface ServerBehind {
  /** As they were listed last, also while there is no connection; empty before the first. */
  readonly tools: readonly ToolDefinition[]
  /** Calls a tool, and connects to the server first if there is no connection. */
  call(call: CallBehind): Promise<CallToolResult>
  /** Resolves once the tools are known. Rejects where the server cannot be connected to. */
  ready(): Promise<void>
  /** The owner has a newer token. */
  renew(): void
  /** Ends the connection, and with it the calls that are under way. */
  close(): Promise<void>
}

/** What a {@link ServerBehind} is made of. */
export interface ServerBehindOptions {
  /** A fresh transport. */
  readonly open: () => Promise<Transport>
  /** That of the newest request: a connection that was made with another one, and is refused for it, is made again. */
  readonly token: () => string | undefined
  readonly jobs: readonly Job[]
  /** Makes tools of what the server lists. */
  readonly define: (listed: readonly Tool[]) => readonly ToolDefinition[]
  /** Called when the tools have changed. */
  readonly onTools: () => void
  /** Called when it was closed because no call came for `idleMs`. */
  readonly onIdle: () => void
  readonly clock: Clock
  /** Null: it stays until it is closed. */
  readonly idleMs: number | null
  readonly report: ReportError
}

/** How often the server is started for one call. */
const MAX_ATTEMPTS = 5

/** The server behind an owner, which is not connected yet. */
export function createServerBehind(options: ServerBehindOptions): ServerBehind {
  const { open, token, jobs, define, onTools, onIdle, clock, idleMs, report } = options
  const closing = new AbortController()
  /** Those that the server works on, in the order in which they came. */
  const running = new Set<CallBehind>()
  const tools = createListedTools(define, onTools)
  let idleTimer: unknown
  const onError = (error: unknown) => report(error, { source: 'server' })
  const connection = createConnectionBehind({
    open,
    token,
    jobs,
    clock,
    onError,
    signal: closing.signal,
    latest: () => [...running].at(-1)?.context,
    refresh: (client) => tools.refresh(client),
  })

  async function call(one: CallBehind): Promise<CallToolResult> {
    const { context, name, isRepeatable, isTask } = one
    const pauses = createBackoff()
    // A gateway that is gone may have made the call.
    let mayHaveRun = context.attempt > 1
    clock.clearTimeout(idleTimer)
    running.add(one)
    try {
      for (let attempt = 1; ; attempt += 1) {
        const found = await untilAborted(connection.get(), context.signal).catch((error: unknown) => {
          context.signal.throwIfAborted()
          onError(error)
          throw unreachable(mayHaveRun)
        })
        const { client } = found
        try {
          const mayBeTask = isTask || supportsTasks(client.getServerCapabilities())
          return await withRequestMeta(found, one, (request) =>
            mayBeTask ? callAsTask(found, one, request) : callBehind(client, one, request.meta),
          )
        } catch (error) {
          context.signal.throwIfAborted()
          if (isSessionLost(error) && attempt < MAX_ATTEMPTS) {
            await client.close()
            continue
          }
          if (isUnauthorized(error) && found.token !== token() && attempt < MAX_ATTEMPTS) {
            await connection.leave(found)
            continue
          }
          if (!isStopped(error)) throw error
          report(stoppedDuring(name, error), { source: 'tool', tool: name })
          if (!isRepeatable || attempt === MAX_ATTEMPTS) throw stopped()
          mayHaveRun = true
          // A new connection has a pause of its own. One over HTTP has outlived that.
          if (connection.isThere) await sleep(clock, pauses.next(clock.now()), context.signal)
        }
      }
    } finally {
      running.delete(one)
      if (running.size === 0) void connection.closeLeft().catch(onError)
      waitForCalls()
    }
  }

  function waitForCalls(): void {
    clock.clearTimeout(idleTimer)
    if (idleMs === null || running.size > 0 || closing.signal.aborted) return
    idleTimer = clock.setTimeout(() => {
      onIdle()
      void close().catch(onError)
    }, idleMs)
    unrefTimer(idleTimer)
  }

  async function close(): Promise<void> {
    clock.clearTimeout(idleTimer)
    closing.abort(new TaskError('The gateway has closed the server behind it.'))
    await connection.close()
  }

  return {
    get tools() {
      return tools.current
    },
    call,
    async ready() {
      try {
        if (!tools.areKnown) await connection.get()
      } finally {
        // The body of the request is still to come. Also where there is no connection: its place is for others then.
        waitForCalls()
      }
    },
    renew: () => void connection.renew().catch(onError),
    close,
  }
}

/** Rejects with the signal's reason when that aborts before; what the promise does later is ignored. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  signal.throwIfAborted()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function unreachable(mayHaveRun: boolean): ProtocolError {
  const known = mayHaveRun ? 'The tool may have run in part.' : 'The tool was not called.'
  return new ProtocolError(INTERNAL_ERROR, `The server behind the gateway cannot be reached. ${known}`)
}

function stopped(): ProtocolError {
  return new ProtocolError(
    INTERNAL_ERROR,
    'The server behind the gateway stopped before the tool had finished. The tool may have run in part.',
  )
}

function stoppedDuring(tool: string, cause: unknown): TaskError {
  return new TaskError(`The server behind the gateway stopped during a call of the tool "${tool}".`, { cause })
}
