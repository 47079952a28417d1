import { describe, expect, it } from 'vitest'
import { TaskConfigurationError } from '../protocol/errors.js'
import { hash } from '../record/hash.js'
import { endpointOf } from './endpoint.js'

const PAGE = 'https://app.example/start?tab=1'
const at = (base?: string) => ({ baseUrl: () => base })

describe('the server with an URL', () => {
  it.each<[string | URL, string | undefined, string, string, string]>([
    ['https://a.example/mcp', undefined, 'https://a.example/mcp', 'https://a.example/mcp', 'https://a.example/mcp'],
    [new URL('http://a.example/mcp'), PAGE, 'http://a.example/mcp', 'http://a.example/mcp', 'http://a.example/mcp'],
    ['/mcp', PAGE, 'https://app.example/mcp', 'https://app.example/mcp', 'https://app.example/mcp'],
    [
      '/mcp?token=x',
      PAGE,
      'https://app.example/mcp',
      `https://app.example/mcp?${hash('?token=x')}`,
      'https://app.example/mcp?token=x',
    ],
    [
      'https://a.example/mcp/s/a1b2c3secret/mcp',
      PAGE,
      'https://a.example/mcp/s/…/mcp',
      `https://a.example/mcp/s/${hash('a1b2c3secret')}/mcp`,
      'https://a.example/mcp/s/a1b2c3secret/mcp',
    ],
  ])('%s, used in the page %s, is %s', (given, base, place, key, href) => {
    const endpoint = endpointOf(given, at(base))
    expect([endpoint.place, endpoint.key, endpoint.url().href]).toEqual([place, key, href])
  })

  it('that is relative is resolved once there is a page, and refused before', () => {
    let base: string | undefined
    const endpoint = endpointOf('/mcp', { baseUrl: () => base })
    expect([endpoint.place, endpoint.key]).toEqual(['/mcp', '/mcp'])
    expect(() => endpoint.url()).toThrow(
      new TaskConfigurationError(
        'Failed to connect: the url "/mcp" is relative, and there is no page to resolve it against, as on a server. Pass the whole URL.',
      ),
    )
    base = PAGE
    expect(endpoint.url().href).toBe('https://app.example/mcp')
  })

  it.each(['ftp://a.example/mcp', 'http://'])('that is none of http(s) is refused: %s', (given) => {
    expect(() => endpointOf(given, at(PAGE))).toThrow(
      new TaskConfigurationError(
        `createTaskClient got the url "${given}", which is not an http(s) URL. Pass the URL of the MCP endpoint.`,
      ),
    )
  })

  it('that has a user name or a password is refused, which is not shown', () => {
    for (const given of [
      'https://anna@a.example/mcp',
      'https://anna:secret@a.example/mcp',
      'ftp://:secret@a.example',
    ]) {
      expect(() => endpointOf(given, at(PAGE))).toThrow(
        new TaskConfigurationError(
          'createTaskClient got a url with a user name or a password, which fetch refuses. Pass them in headers.',
        ),
      )
    }
  })
})
