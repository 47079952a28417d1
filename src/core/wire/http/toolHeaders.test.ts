import { expect, it } from 'vitest'
import { toolHeaders } from './toolHeaders.js'

const schema = (properties: object, others: object = {}) => ({ type: 'object', properties, ...others })
const region = { type: 'string', 'x-mcp-header': 'Region' }

it.each([
  ['that asks for none', schema({ a: { type: 'number' } })],
  ['of a property', schema({ a: region })],
  ['of a property of a property', schema({ a: schema({ b: region }) })],
  ['of two properties', schema({ a: region, b: { type: 'boolean', 'x-mcp-header': 'Zone' } })],
  ['that is a property of this name', schema({ 'x-mcp-header': { type: 'string' } })],
  ['beside a list of names', schema({ a: region }, { required: ['a'] })],
  ['that stands in a value', schema({ a: { type: 'object', default: { 'x-mcp-header': '' } } })],
])('a header %s is allowed', (_, inputSchema) => expect(toolHeaders(inputSchema)).toEqual(expect.any(Array)))

it.each([
  ['without a name', schema({ a: { ...region, 'x-mcp-header': '' } })],
  ['whose name is no text', schema({ a: { ...region, 'x-mcp-header': 1 } })],
  ['whose name is no token', schema({ a: { ...region, 'x-mcp-header': 'My Region' } })],
  ['of a number', schema({ a: { ...region, type: 'number' } })],
  ['of an object', schema({ a: { ...region, type: 'object' } })],
  ['twice', schema({ a: region, b: { ...region, 'x-mcp-header': 'REGION' } })],
  ['of the arguments as a whole', schema({}, region)],
  ['of the items of a list', schema({ a: { type: 'array', items: region } })],
  ['below the items of a list', schema({ a: { type: 'array', items: schema({ b: region }) } })],
  ['in a definition', schema({}, { $defs: { a: region } })],
  ['as one of several', schema({}, { anyOf: [region] })],
  ['in the second of several', schema({}, { anyOf: [schema({}), schema({ a: region })] })],
  ['in one of several', schema({}, { anyOf: [schema({ a: region })] })],
])('a header %s is not', (_, inputSchema) => expect(toolHeaders(inputSchema)).toBeUndefined())
