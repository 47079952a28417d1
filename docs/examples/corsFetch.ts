import { mcp } from './corsServer.ts'

const ORIGIN = 'https://app.example'
const preflight = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Allow-Headers': [
    'content-type',
    'authorization',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'last-event-id',
  ].join(', '),
  'Access-Control-Max-Age': '86400',
}

export default {
  async fetch(request: Request): Promise<Response> {
    const isPreflight = request.method === 'OPTIONS'
    const response = isPreflight
      ? new Response(null, { status: 204, headers: preflight })
      : await mcp.fetch(request)
    const headers = new Headers(response.headers)
    headers.append('Vary', 'Origin')
    if (request.headers.get('origin') === ORIGIN) {
      headers.set('Access-Control-Allow-Origin', ORIGIN)
      headers.set(
        'Access-Control-Expose-Headers',
        'Retry-After, WWW-Authenticate, Mcp-Session-Id',
      )
    }
    return new Response(response.body, { status: response.status, headers })
  },
}
