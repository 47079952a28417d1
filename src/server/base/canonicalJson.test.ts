import { expect, it } from 'vitest'
import { canonicalJson } from './canonicalJson.js'

it.each([
  ['{"b":[1,{"d":null,"c":"x"}],"a":true}', '{"a":true,"b":[1,{"c":"x","d":null}]}'],
  ['[2,1]', '[2,1]'],
  ['{"__proto__":{"b":1,"a":2}}', '{"__proto__":{"a":2,"b":1}}'],
  ['"\\u2028"', JSON.stringify('\u2028')],
])('writes %s with its fields in order', (text, canonical) => {
  expect(canonicalJson(JSON.parse(text))).toBe(canonical)
})
