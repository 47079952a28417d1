import { keepInUse } from '../../core/client/clientInUse.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { ConnectionFailedError } from '../../core/protocol/errors.js'
import { isOwnOrigin } from '../../server/http/ownOrigin.js'
import type { TaskBridgeOptions } from './options.js'
import { refuse } from './responses.js'
import type { Session } from './session.js'

/** Lets pages in: those of the app's own origin, whose user is signed in. */
export interface Entrance {
  /** What `use` makes of the session of the user who sends the request, or why that user gets nothing. */
  enter<T>(request: Request, use: (session: Session) => T | Promise<T>): Promise<T | Response>
  /** False if the request no longer belongs to this user. If the app's `clientOf` throws, the stream stays open. */
  isStillOf(request: Request, client: TaskClient): Promise<boolean>
}

export function createEntrance(
  { clientOf, origins = [], signInMessage = 'Sign in to see your calls.' }: TaskBridgeOptions,
  sessionOf: (client: TaskClient) => Session,
  report: (thrown: unknown) => void,
): Entrance {
  function isOwn(request: Request): boolean {
    const origin = request.headers.get('origin')
    const site = request.headers.get('sec-fetch-site')
    if (origin !== null) return origins.includes(origin) || isOwnOrigin(origin, request)
    return site === null || site === 'same-origin' || site === 'none'
  }

  return {
    async enter(request, use) {
      if (!isOwn(request)) return refuse(403, FOREIGN)
      const client = await clientOf(request)
      if (client === undefined || client === null) return refuse(401, new ConnectionFailedError(signInMessage))
      const session = sessionOf(client as TaskClient)
      const letGo = keepInUse(session.client)
      try {
        await session.ready
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

const FOREIGN =
  'Pages of this origin may not see calls here. If it is an origin of your own, name it in the option `origins` of createTaskBridge.'
