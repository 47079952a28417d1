import { asError } from '../protocol/asError.js'
import { TaskRequestError, ToolCallInterruptedError } from '../protocol/errors.js'
import type { ConnectionState } from './connection.js'
import type { ConnectedSdk } from './sdkAdapter.js'
import { needsSignIn } from './signInErrors.js'

/** Requests in a row without an answer, after which the connection is not shown as one. */
const MAX_UNANSWERED = 3

/** What is shown of a connection, by what its requests come to. */
export interface ShownState {
  readonly state: () => ConnectionState
  show(state: ConnectionState): void
  /** Notices that the server does not answer, or asks for credentials, and that it does no longer. */
  watched<T>(request: Promise<T>): Promise<T>
  /** A request has passed. */
  accepted(): void
  /** Another tab has had an answer: the server can be reached. Whether it lets this tab in, that does not say. */
  heardElsewhere(): void
  /** The server asks for credentials. */
  refused(error: Error): void
}

/** `current` returns the connection that there is. */
export function createShownState(
  onState: (state: ConnectionState) => void,
  current: () => ConnectedSdk | undefined,
): ShownState {
  let shown: ConnectionState = { status: 'idle' }
  let unanswered = 0

  function show(state: ConnectionState): void {
    shown = state
    onState(state)
  }

  function accepted(): void {
    unanswered = 0
    const { state } = current() ?? {}
    if (shown.status !== 'connected' && shown.status !== 'closed' && state !== undefined) show(state)
  }

  function refused(error: Error): void {
    if (shown.status !== 'closed') show({ ...current()?.state, status: 'unauthorized', error })
  }

  /** One lost answer says nothing of the connection; several in a row, with none that came, do. */
  function noteUnanswered(error: Error): void {
    unanswered += 1
    if (unanswered >= MAX_UNANSWERED && shown.status === 'connected') show({ ...shown, status: 'connecting', error })
  }

  async function watched<T>(request: Promise<T>): Promise<T> {
    const before = shown
    try {
      const result = await request
      // Not what was sent before it asked.
      if (shown === before) accepted()
      return result
    } catch (error) {
      if (needsSignIn(error) && shown.status !== 'unauthorized') refused(asError(error))
      else if (isUnanswered(error)) noteUnanswered(error)
      throw error
    }
  }

  return {
    state: () => shown,
    show,
    watched,
    accepted,
    heardElsewhere: () => shown.status === 'connecting' && accepted(),
    refused,
  }
}

/** True where the server, or what is in front of it, has not answered a request, or was not able to. */
function isUnanswered(error: unknown): error is Error {
  // One that is explained is not for want of a server.
  if (error instanceof ToolCallInterruptedError) return !(error.cause instanceof TaskRequestError)
  const { kind, status = 0 } = error instanceof TaskRequestError ? error : {}
  return kind === 'network' || (kind === 'http' && status >= 500)
}
