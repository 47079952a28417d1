import type { AuthInfo } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { isJsonObject } from '../../core/protocol/json.js'

/**
 * Who sends a request, or the response that refuses it.
 *
 * @throws {TaskConfigurationError} if `authenticate` returns neither: what is unclear is no permission.
 */
export async function whoSends(
  request: Request,
  authenticate: (request: Request) => AuthInfo | Response | Promise<AuthInfo | Response>,
): Promise<AuthInfo | Response> {
  const found: AuthInfo | Response = await authenticate(request)
  // A copy, because the headers of some responses cannot be changed, and those for other origins are to be added.
  if (found instanceof Response) return new Response(found.body, found)
  if (isJsonObject(found) && typeof found.token === 'string') return found
  throw new TaskConfigurationError(
    'Failed to tell who sends a request: `authenticate` returned neither an AuthInfo nor a Response. ' +
      'Return what requireBearerAuth() of the SDK returns.',
  )
}
