import { describe, expect, it } from 'vitest'
import { withinOrigin } from './withinOrigin.js'

const FROM = 'http://tasks.example/mcp'

const redirect = (location: string | undefined, status = 307) =>
  new Response('moved', { status, headers: location === undefined ? {} : { location } })

/** Where requests go that start at a URL, and the answer in the end. `locations`: of the redirects, one after the other. */
async function follow(from: string, locations: (string | undefined)[], status?: number) {
  const asked: string[] = []
  const inits: (RequestInit | undefined)[] = []
  const fetch = withinOrigin(async (url, init) => {
    asked.push(String(url))
    inits.push(init)
    return asked.length > locations.length ? new Response('here') : redirect(locations[asked.length - 1], status)
  })
  const answer = await fetch(new URL(from), { method: 'POST', body: 'request' })
  return { asked, inits, text: await answer.text() }
}

describe('withinOrigin()', () => {
  it.each([
    [FROM, '/other', 'http://tasks.example/other'],
    [FROM, 'http://tasks.example/other?a=1', 'http://tasks.example/other?a=1'],
    [FROM, 'https://tasks.example/mcp', 'https://tasks.example/mcp'],
    ['http://tasks.example:8080/mcp', '/other', 'http://tasks.example:8080/other'],
    [
      'http://me:secret@tasks.example/mcp',
      'http://me:secret@tasks.example/other',
      'http://me:secret@tasks.example/other',
    ],
    ['http://me:secret@tasks.example/mcp', 'http://tasks.example/other', 'http://tasks.example/other'],
    ['http://me:secret@tasks.example/mcp', 'https://tasks.example/mcp', 'https://tasks.example/mcp'],
  ])('follows from %s to %s', async (from, location, to) => {
    expect(await follow(from, [location])).toMatchObject({ asked: [from, to], text: 'here' })
  })

  it.each([
    [FROM, 'another host', 'http://other.example/mcp'],
    [FROM, 'another host by https', 'https://other.example/mcp'],
    [FROM, 'another port', 'http://tasks.example:8080/mcp'],
    [FROM, 'another port by https', 'https://tasks.example:8443/mcp'],
    [FROM, 'no web page', 'ftp://tasks.example/mcp'],
    ['http://tasks.example:8080/mcp', 'https, from a port of its own', 'https://tasks.example:8080/mcp'],
    ['https://tasks.example/mcp', 'http', 'http://tasks.example/mcp'],
    ['ws://tasks.example/mcp', 'https, from another protocol', 'https://tasks.example/mcp'],
    [FROM, 'a user', 'http://me@tasks.example/mcp'],
    [FROM, 'a password', 'http://:secret@tasks.example/mcp'],
    ['http://me:secret@tasks.example/mcp', 'another user', 'http://you:secret@tasks.example/mcp'],
    ['http://me:secret@tasks.example/mcp', 'another password', 'http://me:other@tasks.example/mcp'],
    ['http://me:secret@tasks.example/mcp', 'another host with the same user', 'http://me:secret@other.example/mcp'],
    [FROM, 'no URL', 'http://'],
    [FROM, 'no place', undefined],
  ])('does not follow from %s to %s', async (from, _, location) => {
    expect(await follow(from, [location])).toMatchObject({ asked: [from], text: 'moved' })
  })

  it.each([301, 302, 303, 201])('does not follow where HTTP %i names a place', async (status) => {
    expect(await follow(FROM, ['/other'], status)).toMatchObject({ asked: [FROM], text: 'moved' })
  })

  it('follows five redirects, with the same request each time, and closes what it leaves', async () => {
    const { asked, inits, text } = await follow(FROM, Array(9).fill('/other'), 308)
    expect(asked).toHaveLength(6)
    expect(text).toBe('moved')
    expect(inits).toEqual(Array(6).fill({ method: 'POST', body: 'request', redirect: 'manual' }))
  })

  it.each([
    ['a body, which it closes', 'body', 1],
    ['no body', null, 0],
  ])('follows a redirect that has %s', async (_, body, closed) => {
    let closes = 0
    const stream = body === null ? null : new ReadableStream({ cancel: () => void closes++ })
    const answers = [new Response(stream, { status: 307, headers: { location: '/b' } }), new Response('here')]
    const answer = await withinOrigin(async () => answers.shift() ?? Response.error())(new URL(FROM), {})
    expect(await answer.text()).toBe('here')
    expect(closes).toBe(closed)
  })
})
