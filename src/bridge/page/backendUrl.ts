import type { Environment } from '../../core/environment/environment.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'

/**
 * The URL of the backend, resolved when it is needed: a client with a relative one can be made where there is no page, as on a server.
 * Each caller gets one of its own.
 *
 * @throws {TaskConfigurationError} without a URL; the returned function where it is no http(s) URL, or is relative and there is no page.
 */
export function backendUrl(given: unknown, { baseUrl }: Pick<Environment, 'baseUrl'>): () => URL {
  const url = String(given ?? '')
  function resolve(): URL {
    const base = baseUrl()
    const resolved = url !== '' && URL.canParse(url, base) ? new URL(url, base) : undefined
    if (resolved !== undefined && /^https?:$/.test(resolved.protocol)) return resolved
    throw new TaskConfigurationError(
      `createTaskClient of taskwire/bridge cannot reach a backend at the url ${JSON.stringify(url)}: pass { url: '/api/calls' }, or the whole URL where there is no page.`,
    )
  }
  if (url === '') resolve()
  return resolve
}
