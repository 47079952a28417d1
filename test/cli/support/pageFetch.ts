import { allowsOrigin, isListed, listed } from '../../../src/tools/diagnose/preflight.js'

const SAFE = ['accept', 'accept-language', 'content-language']

/** The `fetch` of a page: what CORS forbids fails without a word, and of a response only what is exposed can be read. */
export function pageFetch(server: (request: Request) => Promise<Response>, origin: string): typeof fetch {
  const blocked = () => new TypeError('Failed to fetch')

  async function preflight(request: Request, names: string[]): Promise<boolean> {
    const headers = {
      origin,
      'access-control-request-method': request.method,
      'access-control-request-headers': `${names}`,
    }
    const response = await server(new Request(request.url, { method: 'OPTIONS', headers }))
    const allowed = listed(response.headers.get('access-control-allow-headers'))
    return response.ok && allowsOrigin(response.headers, origin) && names.every((name) => isListed(allowed, name))
  }

  return async (url, init) => {
    const request = new Request(url as URL, init)
    request.headers.set('origin', origin)
    if (new URL(request.url).origin === origin) return server(request)
    if (init?.mode === 'no-cors') {
      if (init.redirect !== 'follow') throw blocked()
      await server(request)
      return Response.error()
    }
    const isSafe = (name: string, value: string) =>
      SAFE.includes(name) || (name === 'content-type' && !value.includes('json')) || name === 'origin'
    const names = [...request.headers].filter(([name, value]) => !isSafe(name, value)).map(([name]) => name)
    if (names.length > 0 && !(await preflight(request, names))) throw blocked()
    const response = await server(request)
    if (!allowsOrigin(response.headers, origin)) throw blocked()
    const exposed = listed(`content-type,${response.headers.get('access-control-expose-headers')}`)
    const headers = [...response.headers].filter(([name]) => isListed(exposed, name))
    return new Response(response.body, { status: response.status, headers })
  }
}
