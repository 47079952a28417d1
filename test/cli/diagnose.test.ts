import { createTaskClient, TaskConfigurationError } from 'taskwire'
import { diagnose } from 'taskwire/diagnose'
import { describe, expect, it } from 'vitest'
import { type Doctored, doctoredServer } from './support/doctoredServer.js'
import { pageFetch } from './support/pageFetch.js'
import { testTerminal } from './support/testTerminal.js'

const URL_OF_SERVER = 'https://tasks.example/mcp'
const ORIGIN = 'https://app.example'

interface PageOptions {
  page?: string
  url?: string
  isOnline?: boolean
}

/** Diagnoses a server from inside of a page of another origin. */
async function diagnoseFrom(
  server: (request: Request) => Promise<Response>,
  { page = `${ORIGIN}/reports`, url = URL_OF_SERVER, isOnline = true }: PageOptions = {},
) {
  const client = createTaskClient({ url: URL_OF_SERVER, storage: 'memory' })
  const environment = {
    ...testTerminal().environment,
    fetch: pageFetch(server, new URL(page).origin),
    baseUrl: () => page,
    isOnline: () => isOnline,
  }
  return diagnose(client, { url, environment })
}

const withHeaders = (change: (headers: Headers) => void): Doctored => ({
  response: (headers) => {
    change(headers)
    return undefined
  },
})

const nobody = () => Promise.reject(new TypeError('Failed to fetch'))

describe('diagnose() in a page', () => {
  it('finds nothing on a good server', async () => {
    const { findings, server, unasked } = await diagnoseFrom(doctoredServer())
    expect(findings).toEqual([])
    expect(server).toMatchObject({ revision: '2026-07-28', servesTasks: true })
    expect(unasked).toBeUndefined()
  })

  it('shows no password of the URL, with which no page can send a request', async () => {
    const diagnosis = await diagnoseFrom(doctoredServer(), { url: 'https://ada:secret@tasks.example/mcp' })
    expect(diagnosis.findings[0]?.problem).toBe(
      'The server could not be reached: the URL has a user name or a password in it, which no page can send.',
    )
    expect(JSON.stringify(diagnosis)).not.toMatch(/ada|secret/)
  })

  it.each([
    ['the browser is offline', nobody, { isOnline: false }, 'online', /offline/],
    ['nobody answers', nobody, {}, 'reachable', /could not be reached/],
    ['the page has TLS and the server has not', nobody, { url: 'http://tasks.example/mcp' }, 'mixed-content', /https:/],
    ['the server knows no CORS', doctoredServer({}, { cors: false }), {}, 'preflight', /keeps its response/],
    [
      'the server does not allow a header',
      doctoredServer(
        withHeaders((headers) => {
          if (headers.has('access-control-allow-headers'))
            headers.set('access-control-allow-headers', 'content-type, mcp-protocol-version, mcp-name')
        }),
      ),
      {},
      'preflight-headers',
      /does not let pages send mcp-method,/,
    ],
    [
      'only the header is not allowed that names a task',
      doctoredServer(
        withHeaders((headers) => {
          if (headers.has('access-control-allow-headers'))
            headers.set('access-control-allow-headers', 'content-type, mcp-protocol-version, mcp-method')
        }),
      ),
      {},
      'preflight-headers',
      /does not let pages send mcp-name,/,
    ],
    [
      'only what goes well has CORS',
      doctoredServer({
        response: (headers, { status }) => {
          if (status >= 400) headers.delete('access-control-allow-origin')
          return undefined
        },
      }),
      {},
      'error-origin',
      /Responses with an error status/,
    ],
    [
      'a page of HTML answers',
      async () =>
        new Response('<h1>Sign in</h1>', {
          headers: {
            'Content-Type': 'text/html',
            'Access-Control-Allow-Origin': '*',
            'Access-Control-Allow-Headers': '*',
          },
        }),
      {},
      'mcp',
      /a page of HTML/,
    ],
  ] as const)('says so where %s', async (_, server, options, check, says) => {
    const { findings } = await diagnoseFrom(server, options)
    expect(findings.map((one) => one.check)).toEqual([check])
    expect(findings[0]?.problem).toMatch(says)
  })

  it.each([
    ['a page of HTML', '<h1>Unsupported method</h1>', 'text/html', /Check that the URL is that of the MCP endpoint/],
    ['JSON', '{"message":"Not implemented"}', 'application/json', /The fault is in the server/],
  ] as const)('[EDGE-41] says whose the fault is where %s comes with HTTP 501', async (_, body, type, says) => {
    const headers = { 'Content-Type': type, 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' }
    const { findings } = await diagnoseFrom(async ({ method }) =>
      method === 'OPTIONS' ? new Response(null, { headers }) : new Response(body, { status: 501, headers }),
    )
    expect(findings.map(({ check }) => check)).toEqual(['mcp'])
    expect(findings[0]?.remedy).toMatch(says)
  })

  it('[EDGE-41] checks CORS for the page that it runs in, and needs none where the page has the origin of the server', async () => {
    expect(await diagnoseFrom(doctoredServer())).toMatchObject({ cors: 'checked', origin: ORIGIN })
    const bare = doctoredServer(
      withHeaders((headers) => {
        headers.delete('access-control-max-age')
        headers.delete('access-control-expose-headers')
      }),
      { cors: false },
    )
    const same = await diagnoseFrom(bare, { page: new URL('/reports', URL_OF_SERVER).href })
    expect(same).toMatchObject({ cors: 'not needed', findings: [] })
  })

  it('needs a URL', async () => {
    await expect(diagnose({})).rejects.toThrow(TaskConfigurationError)
  })
})
