import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseWebAddress } from './webAddress.js'

const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((ip) => `[${ip}]`),
  fc.constant('аpple.example'),
)
const port = fc.option(fc.nat({ max: 65_535 }), { nil: undefined })
/** Letters that end a part of an address, or that look as if they did. */
const tricky = fc.string({
  unit: fc.constantFrom('@', ':', '/', '\\', '?', '#', '.', '%2F', '%40', 'a', 'é', '\t', ' '),
})
const address = fc
  .record({
    scheme: fc.constantFrom('https://', 'http://', 'HTTPS://', 'https:\\\\', 'https:'),
    user: fc.oneof(fc.constant(''), tricky, fc.domain()),
    at: fc.constantFrom('@', ':@', '/', ''),
    host,
    port,
    path: tricky,
  })
  .map((parts) => {
    const { scheme, user, at, path } = parts
    return `${scheme}${user}${at}${parts.host}${parts.port === undefined ? '' : `:${parts.port}`}${path}`
  })
const url = fc.oneof(address, fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string())

it('an address is shown in three parts, of which the host is the one that the browser goes to', () => {
  fc.assert(
    fc.property(url, (text) => {
      const parsed = parseWebAddress(text)
      fc.pre(parsed !== undefined)
      const { href, before, after } = parsed
      expect(href).toBe(new URL(text).href)
      expect(before + parsed.host + after).toBe(href)
      expect(parsed.host).toBe(new URL(href).host)
      expect(before).toMatch(/^https?:\/\/([^/?#\\@]*@)?$/)
      expect(after).toMatch(/^\//)
      expect(href).toMatch(/^[\x21-\x7e]+$/)
    }),
  )
})

it('an address is marked if, and only if, a user name or a password stands before its host', () => {
  fc.assert(
    fc.property(url, (text) => {
      const parsed = parseWebAddress(text)
      fc.pre(parsed !== undefined)
      const { username, password } = new URL(text)
      expect(parsed.hasUserPart).toBe(username !== '' || password !== '')
      expect(parsed.hasUserPart).toBe(parsed.before.endsWith('@'))
    }),
  )
})
