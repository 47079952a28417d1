import { describe, expect, it } from 'vitest'
import { hash } from './hash.js'

/** Numbers that look random and are the same each time (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }
}

describe('hash', () => {
  // Storage keys and call ids are made of these: another value, and every record of every user is lost.
  it.each([
    ['', '0bdcb81aee8d831c4425d7d009e1'],
    ['a', '1c2ba782c9790113124eda4555df'],
    ['taskwire', '16ba73ea2268680d093dff5b3936'],
    ['Größe 日本 🚀', '187c152254aab6183ca72b87802a'],
    ['["https://example.com/mcp",""]', '17685810a6771e1b98dee2b2c54d'],
    ['["generate_report","weekly"]', '04bb753404f3d50aaec88dc0a542'],
    ['x'.repeat(100_000), '04a0474e3728ea1740527e785e52'],
  ])('of %j stays what it is', (text, expected) => {
    expect(hash(text)).toBe(expected)
  })

  it('is 28 hex digits, whatever the text', () => {
    for (const text of ['', '\u0000', '\ud800', '\uffff'.repeat(50), 'a'.repeat(1_000_000)])
      expect(hash(text)).toMatch(/^[0-9a-f]{28}$/)
  })

  it('meets nowhere in 100,000 random texts', () => {
    const next = randomNumbers(2663)
    const texts = new Set<string>()
    while (texts.size < 100_000)
      texts.add(Array.from({ length: 1 + (next() % 12) }, () => next().toString(36)).join('-'))
    expect(new Set(Array.from(texts, hash)).size).toBe(100_000)
  })

  it('meets nowhere in 100,000 texts that hardly differ', () => {
    const texts = Array.from({ length: 100_000 }, (_, index) => `["https://example.com/mcp","user-${index}"]`)
    expect(new Set(texts.map(hash)).size).toBe(100_000)
  })

  it('differs in both halves for texts that differ in one letter', () => {
    const halves = (text: string) => [hash(text).slice(0, 14), hash(text).slice(14)]
    const next = randomNumbers(1)
    for (let count = 0; count < 2000; count += 1) {
      const text = `${next()}${next()}`
      const other = text.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
      expect(halves(text)[0]).not.toBe(halves(other)[0])
      expect(halves(text)[1]).not.toBe(halves(other)[1])
    }
  })
})
