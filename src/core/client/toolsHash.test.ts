import { describe, expect, it } from 'vitest'
import { hash } from '../record/hash.js'
import { toolHash, toolsHash } from './toolsHash.js'

/** Shows what is hashed. */
const same = (text: string) => text

describe('toolHash', () => {
  it.each<[what: string, tool: Parameters<typeof toolHash>[0], text: string]>([
    ['a tool without schemas', { name: 'a' }, '["a",null,null]'],
    ['both schemas', { name: 'a', inputSchema: { i: 1 }, outputSchema: { o: 2 } }, '["a",{"i":1},{"o":2}]'],
    ['a result alone', { name: 'a', outputSchema: false }, '["a",null,false]'],
    ['keys in their order', { name: 'a', inputSchema: { c: 1, a: 2, b: 3 } }, '["a",{"a":2,"b":3,"c":1},null]'],
    ['keys in order', { name: 'a', inputSchema: { a: 1, b: 2, c: 3 } }, '["a",{"a":1,"b":2,"c":3},null]'],
    ['keys within others', { name: 'a', inputSchema: { z: { b: 1, a: 2 } } }, '["a",{"z":{"a":2,"b":1}},null]'],
    [
      'items as they stand',
      { name: 'a', inputSchema: { enum: ['b', 'a', null] } },
      '["a",{"enum":["b","a",null]},null]',
    ],
    [
      'no description',
      { name: 'a', inputSchema: { description: 'what', type: 'object' } },
      '["a",{"type":"object"},null]',
    ],
    [
      'a property named description',
      { name: 'a', inputSchema: { properties: { description: { description: 'text', type: 'string' } } } },
      '["a",{"properties":{"description":{"type":"string"}}},null]',
    ],
    ['other texts', { name: 'a', inputSchema: { title: 'what' } }, '["a",{"title":"what"},null]'],
  ])('takes %s', (_, tool, text) => {
    expect(toolHash(tool, same)).toBe(text)
  })
})

describe('toolsHash', () => {
  it('takes tools whatever their order', () => {
    expect(toolsHash([{ name: 'b' }, { name: 'a' }], same)).toBe('["[\\"a\\",null,null]","[\\"b\\",null,null]"]')
  })

  it('is the hash that stands in the files written so far', () => {
    const tools = [{ name: 'b', inputSchema: { type: 'object' } }, { name: 'a' }]
    expect(toolsHash(tools, hash)).toBe('151a65c36a33cb0816c5121913c4')
  })
})
