import { keepInUse } from '../../core/client/clientInUse.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { Environment } from '../../core/environment/environment.js'
import { ConnectionFailedError } from '../../core/protocol/errors.js'
import { isOwnOrigin } from '../../server/http/ownOrigin.js'
import type { TaskBridgeOptions } from './options.js'
import { orLate } from './orLate.js'
import { refuse } from './responses.js'
import type { Session } from './session.js'

/** Lets pages in: those of the app's own origin, whose user is signed in. */
export interface Entrance {
  /** What `use` makes of the session of the user who sends the request, or why that user gets nothing. */
  enter<T>(request: Request, use: (session: Session) => T | Promise<T>): Promise<T | Response>
  /** False if the request no longer belongs to this user. If the app's `clientOf` throws, the stream stays open. */
  isStillOf(request: Request, client: TaskClient): Promise<boolean>
}

/** For how long a request waits until the records of its user are read, in ms, and how many of a user do: the storage may not answer. */
const READY_MS = 20_000
const MAX_WAITING = 100

export function createEntrance(
  { clientOf, origins = [], signInMessage = 'Sign in to see your calls.' }: TaskBridgeOptions,
  environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
  sessionOf: (client: TaskClient) => Session,
  report: (thrown: unknown) => void,
): Entrance {
  function isOwn(request: Request): boolean {
    const origin = request.headers.get('origin')
    const site = request.headers.get('sec-fetch-site')
    if (origin !== null) return origins.includes(origin) || isOwnOrigin(origin, request)
    return site === null || site === 'same-origin' || site === 'none'
  }

  /** Resolves with true once the calls of this user are known, with false where that takes too long, or too many wait for it. */
  async function untilReady(session: Session): Promise<boolean> {
    if (session.ready === undefined) return true
    if (session.waiting >= MAX_WAITING) return false
    session.waiting += 1
    await orLate(session.ready, READY_MS, environment)
    session.waiting -= 1
    return session.ready === undefined
  }

  return {
    async enter(request, use) {
      if (!isOwn(request)) return refuse(403, FOREIGN)
      const client = await clientOf(request)
      if (client === undefined || client === null) return refuse(401, new ConnectionFailedError(signInMessage))
      const session = sessionOf(client as TaskClient)
      const letGo = keepInUse(session.client)
      try {
        if (!(await untilReady(session))) return refuse(503, NOT_READ, { 'retry-after': '5' })
        return await use(session)
      } finally {
        letGo()
      }
    },
    async isStillOf(request, { id }) {
      try {
        return (await clientOf(request))?.id === id
      } catch (thrown) {
        report(thrown)
        return true
      }
    },
  }
}

const NOT_READ = 'The backend of this app cannot read its records.'

const FOREIGN =
  'Pages of this origin may not see calls here. If it is an origin of your own, name it in the option `origins` of createTaskBridge.'
