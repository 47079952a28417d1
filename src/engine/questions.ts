import { TaskInputError, TaskInputRequiredError, TaskProtocolError } from '../protocol/errors.js'
import { type InputRequest, type InputResponse, MAX_OPEN_QUESTIONS } from '../protocol/inputRequest.js'
import { onAbort } from './abort.js'
import { handlerOf, type InputHandlerContext, type InputHandlers } from './inputHandlers.js'
import { isEqual } from './isEqual.js'

/** The questions that wait for somebody to answer them, by key. */
export type OpenQuestions = Readonly<Record<string, InputRequest>>

export interface QuestionsOptions {
  readonly callId: string
  readonly handlers: InputHandlers
  readonly missingInput: 'wait' | 'error'
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
   * @throws {TaskInputRequiredError} where nobody is there to be asked, with `missingInput: 'error'`.
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

  /** Lets go of a question: it is answered, or nobody is to answer it any more. */
  function drop(key: string): void {
    const question = questions.get(key)
    questions.delete(key)
    if (question === undefined || question.status === 'answered') return
    question.status = 'gone'
    question.gone.abort()
  }

  function busyCount(): number {
    return [...questions.values()].filter(({ status }) => status !== 'answered').length
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
      for (const key of questions.keys()) if (!Object.hasOwn(asked, key)) drop(key)
      let busy = busyCount()
      for (const [key, request] of Object.entries(asked)) {
        const known = questions.get(key)
        if (known !== undefined && !isEqual(known.request, request)) {
          throw new TaskProtocolError('an input request changed under the key it had', {
            source: 'tasks/get',
            callId,
            taskId,
          })
        }
        if (options.isNoted(key) || known !== undefined || busy >= MAX_OPEN_QUESTIONS) continue
        busy += 1
        const isHandled = handlerOf(handlers, request) !== undefined
        if (options.missingInput === 'error' && !isHandled) throw nobodyToAsk(callId, taskId)
        const gone = new AbortController()
        pose(key, { request, taskId, gone, deliver: (response) => deliver(key, response), status: 'open' })
      }
      return open()
    },

    ask: (inputKey, request, signal) => {
      const answer = new Promise<InputResponse>((resolve, reject) => {
        if (busyCount() >= MAX_OPEN_QUESTIONS) return reject(tooMany(callId))
        if (options.missingInput === 'error' && handlerOf(handlers, request) === undefined) {
          return reject(nobodyToAsk(callId))
        }
        const gone = new AbortController()
        const deliver = async (response: InputResponse) => resolve(response)
        const question: Question = { request, taskId: undefined, gone, deliver, status: 'open' }
        onAbort(signal, () => {
          drop(inputKey)
          onChange(open())
          reject(signal.reason)
        })
        pose(inputKey, question)
        onChange(open())
      })
      return answer.finally(() => questions.delete(inputKey))
    },

    respond: (inputKey, response) => {
      const question = questions.get(inputKey)
      if (question?.status === 'answering' && question.answer) return question.answer
      if (question?.status === 'answered' || options.isNoted(inputKey)) return Promise.reject(answeredAlready(callId))
      if (question === undefined) return Promise.reject(noSuchQuestion(callId))
      settle(question, 'answering')
      question.answer = send(inputKey, question, response)
      return question.answer
    },

    noteAnswered: (inputKey) => {
      const question = questions.get(inputKey)
      if (question !== undefined) settle(question, 'answered')
    },

    isBusy: () => busyCount() > 0,

    clear: () => {
      for (const key of questions.keys()) drop(key)
    },
  }
}

function noSuchQuestion(callId: string): TaskInputError {
  return new TaskInputError(
    'There is no such question (any more): the task went on without it, or it was never asked.',
    { callId },
  )
}

function tooMany(callId: string): TaskProtocolError {
  return new TaskProtocolError('too many questions at once', { source: 'tools/call', callId })
}

function answeredAlready(callId: string): TaskInputError {
  return new TaskInputError('The question has been answered; an answer cannot be changed.', { callId })
}

function nobodyToAsk(callId: string, taskId?: string): TaskInputRequiredError {
  return new TaskInputRequiredError(
    "The task asks for input, and there is nobody to ask. Pass inputHandlers, or leave missingInput at 'wait' and show inputRequests.",
    { callId, taskId },
  )
}
