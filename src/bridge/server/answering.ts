import type { Environment } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import { ConnectionFailedError, TaskError } from '../../core/protocol/errors.js'
import { parseJson } from '../../core/protocol/json.js'
import { isTextTooDeep } from '../../server/http/nesting.js'
import { encodeError } from '../wire/encodeCall.js'
import type { PageRequest } from '../wire/messages.js'
import { act } from './act.js'
import type { Acting, IsAllowed } from './acting.js'
import type { TaskBridgeOptions } from './options.js'
import { orLate } from './orLate.js'
import { parseRequest } from './parseRequest.js'
import { readBody } from './readBody.js'
import { json, refuse } from './responses.js'
import { type AnswerFor, isClosed, type Session } from './session.js'

export interface AnsweringOptions extends Pick<TaskBridgeOptions, 'maxActions' | 'maxBodyBytes'> {
  readonly environment: Environment
  readonly others: Acting['others']
  readonly isAllowed: (request: Request) => IsAllowed
  readonly report: (thrown: unknown) => void
}

/** How long an answer may take before the page is sent for it once more, in ms: proxies cut what takes longer. */
const HOLD_MS = 20_000

/** Where the client was closed: the page asks for the same again. */
const RESTARTING = 'The backend of this app is being restarted.'

const MEGABYTE = 1024 * 1024

/** Answers the requests of pages for actions. */
export function createAnswering(
  options: AnsweringOptions,
): (session: Session, request: Request, cameAt: number) => Promise<Response> {
  const { environment, others, isAllowed, report, maxActions = 64, maxBodyBytes = MEGABYTE } = options

  async function readRequest(request: Request): Promise<PageRequest | Response> {
    const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    // A form of another site cannot send it without a preflight.
    if (type !== 'application/json') return refuse(415, 'The body must be application/json.')
    let text: string | undefined
    try {
      text = await readBody(request, maxBodyBytes)
    } catch {
      // The page has hung up, and reads no answer.
      return refuse(400, 'The body broke off.')
    }
    if (text === undefined) return refuse(413, `The body may have ${maxBodyBytes} bytes at most.`)
    const parsed = isTextTooDeep(text) ? undefined : parseRequest(parseJson(text))
    return (
      parsed ??
      refuse(400, 'The request does not come from taskwire/bridge, or from another version of it. Reload the page.')
    )
  }

  /** The answer, or after a while the advice to ask once more: the same request does it no second time. */
  async function inTime(answer: Promise<AnswerFor>, { epoch }: PageRequest, session: Session): Promise<Response> {
    try {
      const tell = await orLate(answer, HOLD_MS, environment)
      return tell === undefined ? json(202, {}) : json(200, tell(epoch))
    } catch (thrown) {
      // That ended it. The next process can do it.
      if (isClosed(session)) return refuse(503, RESTARTING)
      if (!(thrown instanceof TaskError)) report(thrown)
      return json(422, { error: encodeError(asError(thrown)) })
    }
  }

  return async (session, request, cameAt) => {
    const asked = await readRequest(request)
    if (asked instanceof Response) return asked
    if (asked.user !== undefined && asked.user !== session.client.id) {
      const message = 'Another user has signed in since the page was opened. Nothing was done.'
      return refuse(409, new ConnectionFailedError(message))
    }
    if (isClosed(session)) return refuse(503, RESTARTING)
    const { type } = asked.action
    // Calls are cancelled and forgotten also while starts wait for their tasks.
    const running = type === 'start' || type === 'resume' ? session.unanswered : session.actions
    if (running >= maxActions && !session.knows(asked.id))
      return refuse(429, `Too many actions at once (${maxActions}).`)
    return await inTime(
      session.once(asked.id, () =>
        act(session, { ...asked, cameAt }, { isAllowed: isAllowed(request), others, environment }),
      ),
      asked,
      session,
    )
  }
}
