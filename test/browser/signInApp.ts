import { createDemoServer } from '../../demo/server/demoServer.js'
import { createSimulatedBrowser } from '../../src/tools/testing/simulatedBrowser.js'
import { type AuthorizationServer, startAuthorizationServer } from '../support/authorizationServer.js'
import { type HttpRequest, startHttpServer } from '../support/httpServer.js'
import { buildScripts } from './reportApp.js'

/** An app, its MCP server behind tokens on the same origin, and the authorization server on another. */
export interface SignInApp {
  readonly url: string
  readonly authorization: AuthorizationServer
  received(method: string): HttpRequest[]
  /** How many requests of a method had a token that was valid when they came. */
  accepted(method: string): number
  /** Lets every report be done. */
  finish(): Promise<void>
  close(): Promise<void>
}

let building: Promise<ReadonlyMap<string, string>> | undefined

export async function startSignInApp(): Promise<SignInApp> {
  building ??= buildScripts({ signIn: 'test/browser/signInPage.ts' })
  const [scripts, authorization] = await Promise.all([building, startAuthorizationServer()])
  const clock = createSimulatedBrowser()
  const mcp = createDemoServer({ clock: { ...clock.openPage().environment }, pollIntervalMs: 200 })
  const accepted: (string | null)[] = []
  const about = '/.well-known/oauth-protected-resource/mcp'

  async function serve(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url)
    if (pathname === about) {
      const metadata = {
        resource: `${origin}/mcp`,
        authorization_servers: [authorization.url],
        scopes_supported: ['tasks'],
      }
      return Response.json(metadata)
    }
    if (pathname === '/mcp') {
      const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
      if (token !== undefined && (await authorization.isValid(token))) {
        accepted.push(request.headers.get('mcp-method'))
        return mcp.fetch(request)
      }
      const challenge = `Bearer resource_metadata="${origin}${about}"`
      return new Response('Sign in', { status: 401, headers: { 'WWW-Authenticate': challenge } })
    }
    const script = scripts.get(pathname)
    const page = '<!doctype html><title>Reports</title><body><script type="module" src="/signIn.js"></script>'
    const type = script === undefined ? 'html' : 'javascript'
    return new Response(script ?? page, { headers: { 'Content-Type': `text/${type}; charset=utf-8` } })
  }

  const http = await startHttpServer({ fetch: serve })
  return {
    url: new URL('/', http.url).href,
    authorization,
    received: (method) => http.requests.filter((request) => request.method === method),
    accepted: (method) => accepted.filter((one) => one === method).length,
    finish: () => clock.advance(60_000),
    close: async () => {
      await mcp.close()
      await Promise.all([http.close(), authorization.close()])
    },
  }
}
