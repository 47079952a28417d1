import type { Environment } from '../../environment/environment.js'

type Fetch = Environment['fetch']

/** The redirects that keep the method. */
const REDIRECTS: readonly number[] = [307, 308]
const MAX_REDIRECTS = 5

/**
 * Follows redirects of a POST within the origin alone: task ids and tokens go to the server that the app has named. Where
 * the browser does not show where a redirect leads, it is not followed. The answer to one that is not, is the redirect.
 */
export function withinOrigin(fetch: Fetch): (url: URL, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    let current = url
    for (let followed = 0; ; followed++) {
      const response = await fetch(current, { ...init, redirect: 'manual' })
      const target = targetOf(current, response)
      if (target === undefined || followed === MAX_REDIRECTS) return response
      await response.body?.cancel()
      current = target
    }
  }
}

function targetOf(from: URL, { status, headers }: Response): URL | undefined {
  const location = headers.get('location')
  if (!REDIRECTS.includes(status) || location === null || !URL.canParse(location, from)) return undefined
  const to = new URL(location, from)
  const isSameServer = to.origin === from.origin || isUpgrade(from, to)
  const isAnonymous = to.username === '' && to.password === ''
  const isSameUser = to.username === from.username && to.password === from.password
  return isSameServer && (isAnonymous || isSameUser) ? to : undefined
}

/** The same host by https, both on the usual port. */
function isUpgrade(from: URL, to: URL): boolean {
  return from.protocol === 'http:' && to.protocol === 'https:' && from.host === to.host && from.port === ''
}
