import { describe, expect, it } from 'vitest'
import { parseCallToolResult } from './callToolResult.js'

describe('parseCallToolResult', () => {
  it('hands on blocks of a kind that it does not know', () => {
    const result = { content: [{ type: 'hologram', beams: 3 }] }
    expect(parseCallToolResult(result)).toEqual({ result })
  })

  it('takes the discriminator off, and off a copy', () => {
    const value = { resultType: 'complete', content: [] }
    expect(parseCallToolResult(value)).toEqual({ result: { content: [] } })
    expect(value).toEqual({ resultType: 'complete', content: [] })
  })

  it('keeps isError: false and structuredContent: null apart from none', () => {
    const result = { content: [], isError: false, structuredContent: null }
    expect(parseCallToolResult(result)).toEqual({ result })
  })

  it.each([
    [undefined, 'result is not an object'],
    ['done', 'result is not an object'],
    [{ content: {} }, 'result.content is not an array'],
    [{ content: [null] }, 'result.content holds a block without a type'],
    [{ content: [{ type: 7 }] }, 'result.content holds a block without a type'],
    [{ content: [], isError: null }, 'result.isError is not a boolean'],
  ])('refuses %j', (value, problem) => {
    expect(parseCallToolResult(value)).toEqual({ problem })
  })
})

it('a result that is nested too deep is none', () => {
  let deep: object = {}
  for (let level = 0; level < 512; level += 1) deep = { deep }
  expect(parseCallToolResult({ content: [], structuredContent: deep })).toEqual({
    problem: 'result is nested too deep',
  })
})
