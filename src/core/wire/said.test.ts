import { describe, expect, it } from 'vitest'
import { said } from './said.js'

describe('said()', () => {
  it.each([
    ['busy', 'busy'],
    ['  too \n\t many\u0000\u200bcalls ', 'too many calls'],
    ['a < b, and c > d', 'a < b, and c > d'],
    ['\n <html>\n<h1 class="x">Bad\nGateway</h1>\n<p', 'Bad Gateway'],
    ['<p>Sign<br>in', 'Sign in'],
    ['"json" of a task', '"json" of a task'],
    [503, '503'],
  ])('of %j is %j', (words, line) => {
    expect(said(words)).toBe(` and said "${line}"`)
  })

  it.each([undefined, '', ' \n ', '{"jsonrpc":"2.0","result":{}}', '{"taskId":"secret"}'])(
    'of %j is nothing',
    (words) => {
      expect(said(words)).toBe('')
    },
  )

  it('shows 300 characters', () => {
    expect(said('x'.repeat(301))).toBe(` and said "${'x'.repeat(300)}"`)
  })

  it('reads no more than 4096 characters', () => {
    expect(said(`${' '.repeat(4095)}xy`)).toBe(' and said "x"')
  })
})
