import type { Environment } from '../../core/environment/environment.js'
import { errorFromJson } from '../../core/protocol/errorJson.js'
import { ConnectionFailedError, TaskRequestError } from '../../core/protocol/errors.js'
import { isJsonObject } from '../../core/protocol/json.js'
import type { PollPolicy } from '../../core/time/policy.js'
import { deliver, isPassingStatus } from '../../core/time/retry.js'
import { parseRetryAfter } from '../../core/wire/retryAfter.js'
import { type Answer, type PageAction, readAnswer, WIRE_VERSION } from '../wire/messages.js'

/** Where the backend is, and how requests are sent to it. */
export interface BackendOptions {
  readonly environment: Environment
  readonly fetch: Environment['fetch']
  readonly url: () => URL
  readonly policy: PollPolicy
}

/** The backend's refusal of a request. */
export interface Refusal {
  readonly status: number
  readonly error: Error
}

export interface RequestsOptions extends BackendOptions {
  /** Aborted when the client is closed. */
  readonly signal: AbortSignal
  /** Whose calls the page shows. */
  readonly user: () => string | undefined
  /** The life of the backend whose news the page reads. */
  readonly epoch: () => string | undefined
  readonly onRefused: (refusal: Refusal) => void
  readonly onPassed: () => void
}

export interface PostOptions {
  readonly onRetry?: (error: Error) => void
  /** That of a request of an earlier page, or another tab, which is sent again. */
  readonly id?: string | undefined
  /** Whose calls it is about, where the page may not know that yet. */
  readonly user?: string | undefined
  /** True if it may have been sent before. */
  readonly isRepeated?: boolean
  /** True if the process whose news the page reads may not know yet what this is about: the page has it from another one. */
  readonly isElsewhere?: boolean
  /** Asked before each attempt. Where it returns true, the request rejects with `GIVEN_UP`. */
  readonly isGivenUp?: () => boolean
}

/** Asks the backend for an action. A function is called with the time of each attempt. */
export type Post = (action: PageAction | ((now: number) => PageAction), options?: PostOptions) => Promise<Answer>

/** Why a request ends that is not wanted any longer. Whether the backend has carried it out is unknown. */
export const GIVEN_UP: Error = new Error('This request was given up.')

/** The backend has not answered yet. */
const ACCEPTED = 202

/**
 * Asks the backend for actions. Each has an id of its own and is sent until it is answered, also where the page is offline
 * meanwhile: the backend does it once.
 */
export function createPost({ environment, fetch, url, policy, signal, ...options }: RequestsOptions): Post {
  return async (action, { onRetry = () => {}, id = environment.randomId(), isGivenUp, ...more } = {}) => {
    let user = more.user ?? options.user()
    let { isRepeated = false } = more
    /** What the backend has answered, or why it has refused: to send it once more would change nothing. */
    let outcome: Answer | Error | undefined

    async function send(abort: AbortSignal): Promise<void> {
      if (isGivenUp?.()) {
        outcome = GIVEN_UP
        return
      }
      // The first news may have come since.
      user ??= options.user()
      const asked = typeof action === 'function' ? action(environment.now()) : action
      const epoch = more.isElsewhere ? undefined : options.epoch()
      const body = JSON.stringify({ v: WIRE_VERSION, id, user, isRepeated, epoch, action: asked })
      const headers = { 'content-type': 'application/json' }
      isRepeated = true
      const response = await reached(fetch(url(), { method: 'POST', headers, body, signal: abort }))
      if (!response.ok) {
        const refusal = await refusalOf(response, environment.now())
        options.onRefused(refusal)
        if (refusal.error instanceof TaskRequestError) throw refusal.error
        outcome = refusal.error
        return
      }
      options.onPassed()
      const json: unknown = await response.json().catch(() => undefined)
      outcome = readAnswer(json)
      if (outcome === undefined && response.status !== ACCEPTED)
        throw new TaskRequestError('Something other than taskwire/bridge answers at the url of the backend.', {
          kind: 'malformed',
        })
    }

    do await deliver({ taskId: '', environment, policy, signal, send, onRetry })
    while (outcome === undefined)
    if (outcome instanceof Error) throw outcome
    return outcome
  }
}

/** The response, or an error that may pass. */
export async function reached(request: Promise<Response>): Promise<Response> {
  try {
    return await request
  } catch (cause) {
    throw unreachable(cause)
  }
}

export function unreachable(cause?: unknown): TaskRequestError {
  return new TaskRequestError('The backend of this app cannot be reached.', { kind: 'network', cause })
}

/** Why the backend has refused a request: with a `TaskRequestError` where that may pass. */
export async function refusalOf(response: Response, now: number): Promise<Refusal> {
  const json: unknown = await response.json().catch(() => undefined)
  return refusalFrom(response.status, json, parseRetryAfter(response.headers, now))
}

/** The same, of what the backend has said. */
export function refusalFrom(status: number, said: unknown, retryAfterMs?: number): Refusal {
  const error = isJsonObject(said) ? said['error'] : undefined
  if (isPassingStatus(status)) {
    const message = `The backend of this app answered HTTP ${status}.`
    return { status, error: new TaskRequestError(message, { kind: 'http', status, retryAfterMs }) }
  }
  if (isJsonObject(error)) return { status, error: errorFromJson(error) }
  const message = `The backend of this app answered HTTP ${status}. Check that the url is that of createTaskBridge.`
  return { status, error: new ConnectionFailedError(message) }
}
