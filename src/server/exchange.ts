import type { AuthInfo } from '@modelcontextprotocol/server'
import type { TaskFailure } from '../protocol/task.js'
import type { TaskRun } from './taskRun.js'

/** What there is to know about a request once its body is read. */
export type ExchangeOptions = Pick<Exchange, 'request' | 'body' | 'authInfo' | 'isLegacy'>

/** One HTTP request, from its arrival until the SDK has answered it: for a task, until the work is over. */
export class Exchange {
  readonly request: Request
  /** The parsed JSON. */
  readonly body: unknown
  readonly authInfo: AuthInfo | undefined
  /** Of a revision before 2026-07-28, which knows nothing of the extension. */
  readonly isLegacy: boolean
  /** Resolves when the call is to be answered with a task at work. Stays pending where it is answered otherwise. */
  readonly taskAtWork: Promise<TaskRun>
  /** The task the call has become. */
  run: TaskRun | undefined
  /** The error that ended a tool call. The SDK would make a result with `isError` of it. */
  failure: TaskFailure | undefined

  readonly #controller = new AbortController()
  readonly #onHangUp = () => this.#controller.abort(this.request.signal.reason)
  #resolveTask: (run: TaskRun) => void = () => {}

  constructor({ request, body, authInfo, isLegacy }: ExchangeOptions) {
    this.request = request
    this.body = body
    this.authInfo = authInfo
    this.isLegacy = isLegacy
    this.taskAtWork = new Promise((resolve) => {
      this.#resolveTask = resolve
    })
    if (request.signal.aborted) this.#onHangUp()
    else request.signal.addEventListener('abort', this.#onHangUp, { once: true })
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
    this.request.signal.removeEventListener('abort', this.#onHangUp)
  }

  /** Answers the client while the work goes on. */
  answerWith(run: TaskRun): void {
    this.#resolveTask(run)
  }
}
