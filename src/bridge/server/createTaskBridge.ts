import { KEEP_IN_USE, type KeepsInUse } from '../../core/client/clientInUse.js'
import { mustBe } from '../../core/client/mustBe.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import { asError } from '../../core/protocol/asError.js'
import { ConnectionFailedError, TaskConfigurationError, TaskError } from '../../core/protocol/errors.js'
import { isTextTooDeep } from '../../server/http/nesting.js'
import { isOwnOrigin } from '../../server/http/ownOrigin.js'
import { HIGH_WATER_MARK } from '../../server/push/readerPace.js'
import { encodeError } from '../wire/encodeCall.js'
import { type Answer, newEpoch, type PageRequest } from '../wire/messages.js'
import { act, type IsAllowed } from './act.js'
import { createNewsStream } from './newsStream.js'
import type { TaskBridgeOptions } from './options.js'
import { parseRequest } from './parseRequest.js'
import { readBody } from './readBody.js'
import { createSessions, type Session } from './session.js'

/** The return value of {@link createTaskBridge}. */
export interface TaskBridge {
  /** Serves the pages: a handler of one URL, for `GET` and `POST`. */
  fetch(request: Request): Promise<Response>
}

/** How long an answer may take before the page is sent for it once more, in ms: proxies cut what takes longer. */
const HOLD_MS = 20_000

const MEGABYTE = 1024 * 1024

/**
 * The backend's side of `taskwire/bridge`: its clients call the tools, and pages see their calls. Each page sees those of its
 * user, by the client that `clientOf` returns, and does what `allow` allows.
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
  const { allow, origins = [], maxBodyBytes = MEGABYTE, maxActions = 64, maxStreams = 32 } = options
  const environment = { ...browserEnvironment(), ...options.environment }
  const report = (thrown: unknown) => options.onError?.(asError(thrown))
  const allowed = typeof allow === 'function' ? undefined : new Set(allow.tools)
  const sessionOf = createSessions({
    newEpoch: () => newEpoch(environment.now(), environment.randomId()),
    onError: report,
    shows: guarded(options.shows ?? (({ name }) => allowed?.has(name) ?? true), false),
    select: guarded(options.select ?? (({ result }) => result), { content: [], isError: true }),
  })

  /** What throws here is the app's affair: the page sees nothing rather than too much. */
  function guarded<Arg, T>(call: (arg: Arg) => T, otherwise: T): (arg: Arg) => T {
    return (arg) => {
      try {
        return call(arg)
      } catch (thrown) {
        report(thrown)
        return otherwise
      }
    }
  }

  function isOwn(request: Request): boolean {
    const origin = request.headers.get('origin')
    const site = request.headers.get('sec-fetch-site')
    if (origin !== null) return origins.includes(origin) || isOwnOrigin(origin, request)
    return site === null || site === 'same-origin' || site === 'none'
  }

  function openStream(session: Session, request: Request): Response {
    if (session.streams >= maxStreams) return refuse(429, `Too many streams are open (${maxStreams}).`)
    const { feed } = session
    session.streams += 1
    const letGo = keepInUse(session.client)
    const stream = createNewsStream(feed, {
      environment,
      from: feed.readPosition(request.headers.get('last-event-id')),
      heartbeatMs: options.heartbeatMs ?? 15_000,
      highWaterMark: options.highWaterMark ?? HIGH_WATER_MARK,
      signal: request.signal,
      onEnd: () => {
        session.streams -= 1
        letGo()
      },
    })
    const headers = { ...NEVER_CACHED, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
    return new Response(stream, { headers })
  }

  async function readRequest(request: Request): Promise<PageRequest | Response> {
    const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    // A form of another site cannot send it without a preflight.
    if (type !== 'application/json') return refuse(415, 'The body must be application/json.')
    const text = await readBody(request, maxBodyBytes)
    if (text === undefined) return refuse(413, `The body may have ${maxBodyBytes} bytes at most.`)
    const parsed = isTextTooDeep(text) ? undefined : parseRequest(jsonOf(text))
    return (
      parsed ??
      refuse(400, 'The request does not come from taskwire/bridge, or from another version of it. Reload the page.')
    )
  }

  async function answer(session: Session, request: Request): Promise<Response> {
    const asked = await readRequest(request)
    if (asked instanceof Response) return asked
    if (asked.user !== undefined && asked.user !== session.client.id) {
      const message = 'Another user has signed in since the page was opened. Nothing was done.'
      return refuse(409, new ConnectionFailedError(message))
    }
    if (session.actions >= maxActions && !session.knows(asked.id))
      return refuse(429, `Too many actions at once (${maxActions}).`)
    const isAllowed: IsAllowed = async (action) => {
      if (typeof allow === 'function') return (await allow(action, request)) === true
      return allowed?.has(action.tool) === true
    }
    const done = session.once(asked.id, () => act(session, asked, isAllowed))
    return await inTime(done)
  }

  /** The answer, or after a while the advice to ask once more: the same request gets the same answer. */
  async function inTime(done: Promise<Answer>): Promise<Response> {
    let timer: unknown
    const late = new Promise<undefined>((resolve) => {
      timer = environment.setTimeout(() => resolve(undefined), HOLD_MS)
    })
    try {
      const found = await Promise.race([done, late])
      return found === undefined ? json(202, {}) : json(200, found)
    } catch (thrown) {
      if (!(thrown instanceof TaskError)) report(thrown)
      return json(422, { error: encodeError(asError(thrown)) })
    } finally {
      environment.clearTimeout(timer)
    }
  }

  async function serve(request: Request): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'POST')
      return refuse(405, 'Pages send GET and POST.', { allow: 'GET, POST' })
    if (!isOwn(request)) return refuse(403, FOREIGN)
    const client = await options.clientOf(request)
    if (client === undefined || client === null)
      return refuse(401, new ConnectionFailedError(options.signInMessage ?? 'Sign in to see your calls.'))
    const session = sessionOf(client as TaskClient)
    const letGo = keepInUse(session.client)
    try {
      await session.ready
      return request.method === 'GET' ? openStream(session, request) : await answer(session, request)
    } finally {
      letGo()
    }
  }

  return {
    fetch: async (request) => {
      try {
        return await serve(request)
      } catch (thrown) {
        report(thrown)
        return refuse(500, 'The backend of this app has failed. Its log says why.')
      }
    },
  }
}

/** Keeps a client of a pool while pages need it. Returns a function that lets it go. */
function keepInUse(client: TaskClient & KeepsInUse): () => void {
  return client[KEEP_IN_USE]?.() ?? (() => {})
}

const FOREIGN =
  'Pages of this origin may not see calls here. Where it is an origin of your own, name it in the option `origins` of createTaskBridge.'

/** What a user sees is for no cache on the way. */
const NEVER_CACHED = { 'cache-control': 'no-store, no-transform' }

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...NEVER_CACHED, ...headers } })
}

function refuse(status: number, reason: string | ConnectionFailedError, headers?: Record<string, string>): Response {
  const error = typeof reason === 'string' ? new ConnectionFailedError(reason) : reason
  return json(status, { error: error.toJSON() }, headers)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function checkOptions({ clientOf, allow }: TaskBridgeOptions): void {
  if (typeof clientOf !== 'function') throw mustBe('clientOf', clientOf, 'a function')
  if (typeof allow === 'function' || Array.isArray(allow?.tools)) return
  throw new TaskConfigurationError(
    "createTaskBridge needs to know what pages may do: pass allow: { tools: ['generate_report'] }, or a function.",
  )
}
