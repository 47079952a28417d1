import { mustBe } from '../../core/client/mustBe.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { createAnswering } from './answering.js'
import { createEntrance } from './entrance.js'
import type { BridgeSocket, OpenSocket } from './newsSocket.js'
import { createNewsOpening } from './openNews.js'
import type { TaskBridgeOptions } from './options.js'
import { createOthers } from './others.js'
import { refuse } from './responses.js'
import { createSessions } from './session.js'

/** The return value of {@link createTaskBridge}. */
export interface TaskBridge {
  /** Answers the requests of pages. Mount it at one URL, for `GET` and `POST`. */
  fetch(request: Request): Promise<Response>
  /**
   * Serves a page whose carrier is `webSocket()`. Call it with the page's request and its socket. If the socket has
   * `addEventListener`, the bridge listens to its events, and waits until it is open. Any other socket must be open: call
   * the returned functions for it.
   */
  openSocket(request: Request, socket: BridgeSocket): OpenSocket
}

/**
 * Creates the backend's side of `taskwire/bridge`: the clients of the backend call the tools, and pages show the calls. A
 * page sees the calls of the client that `clientOf` returns for its user, and can do what `allow` permits.
 *
 * @throws {TaskConfigurationError} if an option cannot be used.
 *
 * @example
 * ```ts
 * import { createTaskBridge } from 'taskwire/bridge/server'
 *
 * const bridge = createTaskBridge({
 *   // Yours: the client of the user whose session the request has.
 *   clientOf: (request) => clientOfUser(request),
 *   allow: { tools: ['generate_report'] },
 * })
 * // With Hono: app.all('/api/calls', (context) => bridge.fetch(context.req.raw))
 * ```
 */
export function createTaskBridge(options: TaskBridgeOptions): TaskBridge {
  checkOptions(options)
  const { allow } = options
  const environment = { ...browserEnvironment(), ...options.environment }
  const report = (thrown: unknown) => {
    try {
      options.onError?.(asError(thrown))
    } catch {
      // An error that the app only wants to hear of must not end the process.
    }
  }
  const allowed = typeof allow === 'function' ? undefined : new Set(allow.tools)
  const others = createOthers(environment)
  const sessionOf = createSessions({
    newEpoch: environment.randomId,
    onSession: others.listen,
    onError: report,
    shows: guarded('shows', options.shows ?? (({ name }) => allowed?.has(name) ?? true), false),
    select: guarded('select', options.select ?? (({ result }) => result), { content: [], isError: true }),
  })
  const entrance = createEntrance(options, environment, sessionOf, report)
  const { openStream, openSocket } = createNewsOpening({ ...options, environment, entrance, failed })
  const answer = createAnswering({
    ...options,
    environment,
    others,
    report,
    isAllowed: (request) => async (action) =>
      typeof allow === 'function' ? (await allow(action, request)) === true : allowed?.has(action.tool) === true,
  })

  /** What throws here is the app's affair: the page sees nothing rather than too much. */
  function guarded<Arg, T>(name: string, call: (arg: Arg) => T, otherwise: T): (arg: Arg) => T {
    return (arg) => {
      try {
        const returned = call(arg)
        if (!(returned instanceof Promise)) return returned
        returned.catch(report)
        throw new TaskConfigurationError(`${name} of createTaskBridge has to return its value, and no promise.`)
      } catch (thrown) {
        report(thrown)
        return otherwise
      }
    }
  }

  function failed(thrown: unknown): Response {
    report(thrown)
    return refuse(500, 'The backend of this app has failed. Its log says why.')
  }

  async function serve(request: Request): Promise<Response> {
    const { method, headers } = request
    if (method !== 'GET' && method !== 'POST') return refuse(405, 'Pages send GET and POST.', { allow: 'GET, POST' })
    if (headers.get('upgrade')?.toLowerCase() === 'websocket') return refuse(426, NO_SOCKETS)
    // It may take its time until it is known whose request it is, and what that user has called.
    const cameAt = environment.now()
    return entrance.enter(request, (session) =>
      method === 'GET' ? openStream(session, request) : answer(session, request, cameAt),
    )
  }

  return { fetch: (request) => serve(request).catch(failed), openSocket }
}

const NO_SOCKETS = 'A request for a WebSocket is not for fetch(): accept it, and pass the socket to openSocket().'

function checkOptions(options: TaskBridgeOptions): void {
  const { clientOf, allow }: Partial<TaskBridgeOptions> = Object(options)
  if (typeof clientOf !== 'function') throw mustBe('clientOf', clientOf, 'a function')
  if (typeof allow === 'function' || Array.isArray(allow?.tools)) return
  throw new TaskConfigurationError(
    "createTaskBridge needs to know what pages may do: pass allow: { tools: ['generate_report'] }, or a function.",
  )
}
