import type { AuthInfo, CallToolResult, ClientCapabilities } from '@modelcontextprotocol/server'
import { TaskError } from '../../core/protocol/errors.js'
import type { JsonObject } from '../../core/protocol/json.js'
import type { TaskFailure } from '../../core/protocol/task.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import type { TaskRun } from '../tasks/taskRun.js'
import type { Answer } from './answer.js'
import { sessionCapabilities } from './legacySession.js'
import { requestParams } from './requestParams.js'
import { capabilitiesIn } from './tasksCapability.js'

/** What there is to know about a request once its body is read. */
export type ExchangeOptions = Pick<Exchange, 'request' | 'body' | 'authInfo' | 'isLegacy'> & {
  /** The work that this request is for, where it is a job's and no client's. */
  readonly claimed?: TaskRun
}

/** One HTTP request, from its arrival until the SDK has answered it: for a task, until the work is over. */
export class Exchange {
  /** The parsed JSON. */
  readonly body: unknown
  readonly authInfo: AuthInfo | undefined
  /** What logs call the request: its `X-Request-Id`, or one of our own. */
  readonly requestId: string
  /** Of a revision before 2026-07-28, which knows nothing of the extension. */
  readonly isLegacy: boolean
  /** Resolves when the call is to be answered with a task at work. Stays pending where it is answered otherwise. */
  readonly taskAtWork: Promise<TaskRun>
  /** True where no client waits: the task is there, and its work begins again or elsewhere. */
  readonly isJob: boolean
  /** The task the call has become, where it is worked on here. */
  run: TaskRun | undefined
  /** The task that the client is told of, where it is not worked on for this request: the executor has it, or an earlier call. */
  elsewhere: TaskRecord | undefined
  /** True if the client gets the outcome of the run itself, not a task. */
  isDirect = false
  /** True if the client was answered before the run has ended: what comes of the run goes into the store alone. */
  isHandedOff = false
  /** The rest of a handler whose client was answered before it had ended. Never rejects. */
  workLeft: Promise<void> | undefined
  /** What the handler comes to whose client was answered with its task in the meantime. */
  work: Promise<CallToolResult> | undefined
  /** How a client that waits gets messages; undefined where it gets none. */
  answer: Pick<Answer, 'notify'> | undefined
  /** The error that ended a tool call. The SDK would make a result with `isError` of it. */
  failure: TaskFailure | undefined
  /** True if the failure is a `ProtocolError`, whose code and data the client gets. */
  isMeantForClient = false
  /** The HTTP status of the response where a tool call failed. */
  failureStatus = 200
  /** When the client may send a call again that was refused for the load of the server, in ms. */
  retryAfterMs: number | undefined

  #request: Request | undefined
  readonly #controller = new AbortController()
  readonly #unlink: () => void
  #isDetached = false
  #resolveTask: (run: TaskRun) => void = () => {}

  constructor({ request, body, authInfo, isLegacy, claimed }: ExchangeOptions) {
    this.#request = request
    this.body = body
    this.authInfo = authInfo
    this.requestId = requestIdOf(request)
    this.isLegacy = isLegacy
    this.isJob = claimed !== undefined
    this.run = claimed
    this.taskAtWork = new Promise((resolve) => {
      this.#resolveTask = resolve
    })
    this.#unlink = link(request.signal, this.#controller)
  }

  /** The request as it came, until the client has been answered. */
  get request(): Request {
    if (this.#request === undefined)
      throw new TaskError('Failed to read a request: its client already has the response.')
    return this.#request
  }

  /**
   * What the client has declared: in this very request, nothing carries over from an earlier one; before 2026-07-28, with
   * `initialize`. To be asked for once the SDK has checked the request.
   */
  get capabilities(): ClientCapabilities {
    if (!this.isLegacy) return capabilitiesIn(requestParams(this.body))
    // Whom nothing can be sent, nothing can be asked.
    return this.answer === undefined ? {} : sessionCapabilities(this.request)
  }

  /** Aborts when the client hangs up, unless the call has been detached from it. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /**
   * Work that becomes a task outlives the connection it came in by. To be called before the task is
   * created: a client that hangs up in between must not leave a task without work behind.
   */
  detach(): void {
    this.signal.throwIfAborted()
    this.#isDetached = true
    this.#unlink()
  }

  /** Sends a message to the client that waits. */
  notify(message: JsonObject): void {
    this.answer?.notify(message)
  }

  /** To be called where the client has gone and its signal does not say so. Detached work continues. */
  hangUp(): void {
    if (!this.#isDetached) this.#controller.abort(new TaskError('The client has closed the request.'))
  }

  /** Answers the client while the work continues. What it takes to answer is not kept: thousands of tasks may be at work. */
  respondWith(run: TaskRun): void {
    this.#request = undefined
    this.answer = undefined
    this.#resolveTask(run)
  }
}

/** What comes in is written to logs, so it has to be plain. */
function requestIdOf({ headers }: Request): string {
  const given = headers.get('x-request-id') ?? ''
  return /^[\w.:+/=-]{1,100}$/.test(given) ? given : crypto.randomUUID()
}

/**
 * Lets one signal abort another; the function that is returned ends that. It lives as long as the connection, which may be
 * a stream of hours, so it must not hold the exchange and with it the body.
 */
function link(from: AbortSignal, to: AbortController): () => void {
  const onAbort = () => to.abort(from.reason)
  if (from.aborted) onAbort()
  else from.addEventListener('abort', onAbort, { once: true })
  return () => from.removeEventListener('abort', onAbort)
}
