import { TaskInputError, TaskInputRequiredError, TaskProtocolError } from '../protocol/errors.js'
import { undeclaredError } from '../protocol/inputCapabilities.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { onAbort } from './abort.js'
import { handlerOf, type InputHandlerContext, type InputHandlers } from './inputHandlers.js'
import { isEqual } from './isEqual.js'

/** The questions that wait for somebody to answer them, by key. */
export type OpenQuestions = Readonly<Record<string, InputRequest>>

export interface QuestionsOptions {
  readonly callId: string
  readonly handlers: InputHandlers
  readonly missingInput: 'wait' | 'error'
  /** The capability that a question needs and the client has not declared; undefined where none is missing. */
  readonly missingCapability: (request: InputRequest) => string | undefined
  /** What is wrong with an answer, undefined where nothing is. */
  readonly check: (request: InputRequest, response: InputResponse) => Promise<string | undefined>
  /** Runs `work` in one tab at a time. */
  readonly exclusively: (inputKey: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>
  /** Whether the question has been answered, as far as this page knows. */
  readonly isNoted: (inputKey: string) => boolean
  /** Whether any tab has answered the question. */
  readonly isAnswered: (taskId: string, inputKey: string) => Promise<boolean>
  readonly onChange: (open: OpenQuestions) => void
  readonly onError: (error: unknown) => void
}

/**
 * The questions of one call, from the snapshot that asks them to the answer.
 *
 * ```text
 *            ┌─ a handler ─ answers ─┐
 * asked ─────┤                       ├─▶ checked ─▶ sent, once ─▶ answered, never asked again
 *            └─ open ─── respond() ──┘       └─ not valid: open again
 *                 └─ withdrawn by the server: gone
 * ```
 */
export interface Questions {
  /**
   * Takes note of what a snapshot asks.
   *
   * @throws {TaskProtocolError} where a key that is known asks something else.
   * @throws {TaskInputRequiredError} where the client has not declared to answer, and where nobody is there to be
   * asked, with `missingInput: 'error'`.
   */
  observe(
    asked: OpenQuestions,
    taskId: string,
    deliver: (inputKey: string, response: InputResponse) => Promise<void>,
  ): OpenQuestions
  /** Asks a question that belongs to no task. */
  ask(inputKey: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
  respond(inputKey: string, response: InputResponse): Promise<void>
  /** Takes note that another tab has answered. */
  noteAnswered(inputKey: string): void
  /** Whether something is still to be done here: a question is open, a handler at work, an answer on its way. */
  isBusy(): boolean
  /** Withdraws every question. */
  clear(): void
}

interface Question {
  readonly request: InputRequest
  readonly taskId: string | undefined
  /** Aborted when the question is withdrawn. */
  readonly gone: AbortController
  readonly deliver: (response: InputResponse) => Promise<void>
  status: 'open' | 'handled' | 'answering' | 'answered' | 'gone'
  answer?: Promise<void>
}

export function createQuestions(options: QuestionsOptions): Questions {
  const { callId, handlers, exclusively, onChange, onError } = options
  const questions = new Map<string, Question>()

  function open(): OpenQuestions {
    const waiting = [...questions].filter(([, { status }]) => status === 'open')
    return Object.fromEntries(waiting.map(([key, { request }]) => [key, request]))
  }

  function settle(question: Question, status: Question['status']): void {
    if (question.status === 'gone') return
    question.status = status
    onChange(open())
  }

  function withdraw(question: Question): void {
    if (question.status === 'answered') return
    question.status = 'gone'
    question.gone.abort()
  }

  function pose(key: string, question: Question): void {
    questions.set(key, question)
    const handle = handlerOf(handlers, question.request)
    if (handle === undefined) return
    question.status = 'handled'
    void answerByHandler(key, question, handle)
  }

  async function answerByHandler(
    inputKey: string,
    question: Question,
    handle: (context: InputHandlerContext) => Promise<InputResponse>,
  ): Promise<void> {
    const { signal } = question.gone
    try {
      await exclusively(inputKey, signal, async () => {
        if (await isAnswered(inputKey, question)) return settle(question, 'answered')
        signal.throwIfAborted()
        const response = await handle({ taskId: question.taskId, callId, inputKey, signal })
        if (signal.aborted) return
        await checkAnswer(question, response)
        await question.deliver(response)
        settle(question, 'answered')
      })
    } catch (error) {
      if (signal.aborted) return
      onError(error)
      // Nothing is declined on the user's behalf: the question waits for them.
      settle(question, 'open')
    }
  }

  /** Whether any tab has answered the question. One that belongs to no task is asked in this tab alone. */
  async function isAnswered(inputKey: string, question: Question): Promise<boolean> {
    const isStored = question.taskId !== undefined && (await options.isAnswered(question.taskId, inputKey))
    return isStored || question.status === 'answered'
  }

  async function checkAnswer({ request }: Question, response: InputResponse): Promise<void> {
    const problem = await options.check(request, response)
    if (problem !== undefined) throw new TaskInputError(`The answer does not fit the question: ${problem}`, { callId })
  }

  async function send(inputKey: string, question: Question, response: InputResponse): Promise<void> {
    try {
      await checkAnswer(question, response)
      const { signal } = question.gone
      await exclusively(inputKey, signal, async () => {
        if (await isAnswered(inputKey, question)) return
        signal.throwIfAborted()
        await question.deliver(response)
      })
      settle(question, 'answered')
    } catch (error) {
      if (question.gone.signal.aborted) throw noSuchQuestion(callId)
      settle(question, 'open')
      throw error
    }
  }

  return {
    observe: (asked, taskId, deliver) => {
      for (const [key, question] of questions) {
        if (!Object.hasOwn(asked, key)) withdraw(question)
      }
      for (const [key, request] of Object.entries(asked)) {
        const missing = options.missingCapability(request)
        if (missing !== undefined) throw undeclaredError(missing, { callId, taskId })
        const known = questions.get(key)
        if (known !== undefined && !isEqual(known.request, request)) {
          throw new TaskProtocolError('an input request changed under the key it had', {
            source: 'tasks/get',
            callId,
            taskId,
          })
        }
        if (options.isNoted(key) || (known !== undefined && known.status !== 'gone')) continue
        const isHandled = handlerOf(handlers, request) !== undefined
        if (options.missingInput === 'error' && !isHandled) throw nobodyToAsk(callId, taskId)
        const gone = new AbortController()
        pose(key, { request, taskId, gone, deliver: (response) => deliver(key, response), status: 'open' })
      }
      return open()
    },

    ask: (inputKey, request, signal) =>
      new Promise((resolve, reject) => {
        if (options.missingInput === 'error' && handlerOf(handlers, request) === undefined) {
          return reject(nobodyToAsk(callId))
        }
        const gone = new AbortController()
        const deliver = async (response: InputResponse) => resolve(response)
        const question: Question = { request, taskId: undefined, gone, deliver, status: 'open' }
        onAbort(signal, () => {
          withdraw(question)
          onChange(open())
          reject(signal.reason)
        })
        pose(inputKey, question)
        onChange(open())
      }),

    respond: (inputKey, response) => {
      const question = questions.get(inputKey)
      if (question === undefined || question.status === 'gone') return Promise.reject(noSuchQuestion(callId))
      if (question.status === 'answering' && question.answer) return question.answer
      if (question.status === 'answered') {
        return Promise.reject(
          new TaskInputError('The question has been answered; an answer cannot be changed.', { callId }),
        )
      }
      settle(question, 'answering')
      question.answer = send(inputKey, question, response)
      return question.answer
    },

    noteAnswered: (inputKey) => {
      const question = questions.get(inputKey)
      if (question !== undefined) settle(question, 'answered')
    },

    isBusy: () => [...questions.values()].some(({ status }) => status !== 'answered' && status !== 'gone'),

    clear: () => {
      for (const question of questions.values()) withdraw(question)
      questions.clear()
    },
  }
}

function noSuchQuestion(callId: string): TaskInputError {
  return new TaskInputError(
    'There is no such question (any more): the task went on without it, or it was never asked.',
    { callId },
  )
}

function nobodyToAsk(callId: string, taskId?: string): TaskInputRequiredError {
  return new TaskInputRequiredError(
    "The task asks for input, and there is nobody to ask. Pass inputHandlers, or leave missingInput at 'wait' and show inputRequests.",
    { callId, taskId },
  )
}
