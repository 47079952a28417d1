import { type CallToolResult, type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server'
import { parseCallToolResult } from '../../core/protocol/callToolResult.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { isJsonObject, toJson } from '../../core/protocol/json.js'
import { INTERNAL_ERROR } from '../base/errorCodes.js'
import type { ServerParts } from '../serverParts.js'
import { checkInputRequest } from '../tasks/inputRequests.js'
import { isLimitReached } from '../tasks/limitReached.js'
import { toTaskFailure } from '../tasks/taskFailure.js'
import type { TaskRecord, TaskStep } from '../tasks/taskRecord.js'
import type { TaskRun } from '../tasks/taskRun.js'
import type { ToolBackend } from '../tasks/toolBackend.js'
import { causeOfUnavailable } from '../tasks/unavailable.js'
import type { WorkReport } from '../tasks/workReport.js'
import type { ValidCall } from './callTool.js'
import { createToolContext } from './createToolContext.js'
import { answerLater } from './laterAnswer.js'
import { createProgressNotifier } from './progressNotifier.js'
import { handleAfterMs } from './resultTool.js'
import { checked } from './sendableResult.js'
import { validOutput } from './validOutput.js'

/** What a plain call needs of its caller. */
export interface PlainCallOptions {
  /** The task of a call that came with a key. */
  readonly run: TaskRun | undefined
  /** Creates the task of a handler that has come to these steps. */
  readonly begin: (steps: TaskRecord['steps']) => Promise<TaskRun>
  /** When the client gets the task in place of the result, in ms. Undefined: it is never told of it. */
  readonly taskAfterMs?: number
}

/**
 * Runs a tool whose caller waits for the result. Once the handler asks for input, or takes longer than the caller should wait,
 * the call continues as a task that the client never sees, and the caller comes back for the rest. The handler runs once.
 *
 * ```
 * client   call ........... input_required   call again, responses ........... result
 * handler  begun ... elicit() .............. response .............. returns
 * task               created, asks           answered                completed
 * ```
 *
 * With `taskAfterMs`, the client gets that task, and follows it, in place of coming back.
 */
export async function callPlainly(
  call: ValidCall,
  parts: ServerParts,
  options: PlainCallOptions,
): Promise<CallToolResult | InputRequiredResult> {
  const { tool, args, ctx, exchange } = call
  const { config, report } = parts
  const { taskAfterMs } = options
  const controller = new AbortController()
  const unlink = forward(options.run?.signal ?? ctx.mcpReq.signal, controller)
  let hidden: Promise<TaskRun> | undefined
  let handOff: (handed: HandedOff) => void = () => {}
  const handedOff = new Promise<HandedOff>((resolve) => {
    handOff = resolve
  })

  async function hide(waitMs: number | undefined): Promise<TaskRun> {
    const run = options.run ?? (await options.begin({ ...steps }))
    if (options.run === undefined) {
      unlink()
      forward(run.signal, controller)
    }
    // The task is there, also where the store does not take its progress.
    if (taskAfterMs !== undefined && reported !== undefined) await run.report(reported).catch(() => {})
    exchange.isHandedOff = true
    if (taskAfterMs !== undefined) exchange.elsewhere = run.latest
    handOff({ run, waitMs })
    return run
  }
  const asTask = (waitMs: number | undefined): Promise<TaskRun> => {
    if (hidden === undefined) {
      hidden = ignoreRejection(hide(waitMs))
      exchange.workLeft = hidden.then(
        // Also where the handler is faster than the creation of the task.
        (run) => settleLater(run, work, call, parts),
        (error: unknown) => {
          hidden = undefined
          if (exchange.signal.aborted || isLimitReached(error)) return
          report(causeOfUnavailable(error)?.cause ?? error, { source: 'server', tool: tool.name })
        },
      )
    }
    return hidden
  }
  /** Undefined where no task could be created either: the handler has begun, so the call continues as a plain one. */
  const taskSoFar = async () => hidden?.catch(() => undefined)

  const resultAfterMs = handleAfterMs(tool, exchange, parts)
  let reported: WorkReport | undefined
  const notify = createProgressNotifier(exchange)
  const steps: Record<string, TaskStep> = {}
  const backend: ToolBackend = {
    steps: {},
    get signal() {
      // A look at that of the run compares its lease with the clock.
      return exchange.run?.signal.aborted === true ? exchange.run.signal : controller.signal
    },
    assertHeld: () => exchange.run?.assertHeld(),
    async ask(build) {
      // Where the client cannot answer, the call stays what it is.
      checkInputRequest(build, exchange.capabilities)
      const run = await asTask(resultAfterMs).catch((error: unknown) => Promise.reject(cannotAsk(error)))
      return run.ask(build)
    },
    async report(reached) {
      reported = reached
      const run = hidden && (await taskSoFar())
      if (run === undefined) notify(reached)
      else await run.report(reached)
    },
    async keepStep(name, step) {
      steps[name] = step
      await ((await taskSoFar()) ?? options.run)?.keepStep(name, step)
    },
  }
  async function runHandler(): Promise<CallToolResult> {
    const result = await tool.handler(args, createToolContext(call, parts, backend))
    return validOutput(call, withContent(checked(result, config)), parts)
  }
  const work = ignoreRejection(runHandler())
  const giveUpMs = taskAfterMs ?? resultAfterMs
  const stopWaiting = giveUpMs === undefined ? () => {} : after(giveUpMs)
  function after(ms: number): () => void {
    const timer = config.clock.setTimeout(() => void asTask(0), ms)
    return () => config.clock.clearTimeout(timer)
  }
  try {
    const first = await Promise.race([work.then((result) => ({ result })), handedOff])
    if ('result' in first) return first.result
    // It is not read: the client gets the task instead.
    if (exchange.elsewhere !== undefined) {
      exchange.work = work
      return { content: [] }
    }
    return await answerLater(first.run.record, exchange, parts, first.waitMs)
  } finally {
    stopWaiting()
  }
}

/** In place of the refusal of a call that was not started: this one was, and must not be sent again as if it were not. */
function cannotAsk(error: unknown): unknown {
  if (causeOfUnavailable(error) === undefined && !isLimitReached(error)) return error
  return new ProtocolError(
    INTERNAL_ERROR,
    'The tool asks for input, and the server cannot keep the call until there is a response. The tool may have run in part.',
  )
}

/** A call that continues as a task, and how long its caller waits for that, in ms; undefined: until there is an answer. */
interface HandedOff {
  readonly run: TaskRun
  readonly waitMs: number | undefined
}

/** A handler may return structured content alone. The SDK adds the rest to what it sends, but not to what goes into the store. */
function withContent(result: CallToolResult): CallToolResult {
  return isJsonObject(result) && result.content === undefined ? { ...(result as CallToolResult), content: [] } : result
}

/** The client has been answered: what the handler comes to goes into the store. */
async function settleLater(
  run: TaskRun,
  work: Promise<CallToolResult>,
  { tool }: ValidCall,
  { runtime, report }: ServerParts,
): Promise<void> {
  try {
    const parsed = parseCallToolResult(toJson(await work))
    if ('problem' in parsed) throw new TypeError(`The tool returned no result: it ${parsed.problem}.`)
    await runtime.settle(run, { type: 'complete', result: parsed.result })
  } catch (error) {
    if (!run.signal.aborted && !(error instanceof ProtocolError)) report(error, { source: 'tool', tool: tool.name })
    await runtime.settle(run, { type: 'fail', error: toTaskFailure(error) })
  }
}

/** Lets one signal abort another until the function that is returned is called. */
function forward(from: AbortSignal, to: AbortController): () => void {
  const onAbort = () => to.abort(from.reason)
  if (from.aborted) onAbort()
  else from.addEventListener('abort', onAbort, { once: true })
  return () => from.removeEventListener('abort', onAbort)
}
