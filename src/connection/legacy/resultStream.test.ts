import type { JSONRPCRequest } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { createResultStream } from './resultStream.js'

const elicitation = (id: string | number, properties: Record<string, unknown> = {}): JSONRPCRequest => ({
  jsonrpc: '2.0',
  id,
  method: 'elicitation/create',
  params: { message: 'Well?', requestedSchema: { type: 'object', properties } },
})
const open = () =>
  createResultStream(
    () => new Promise(() => {}),
    () => undefined,
  )

it('[EDGE-06] the stream of a result keeps 256 input requests without a response, and refuses the others until one of those has its response', () => {
  const stream = open()
  for (let id = 0; id < 256; id++) expect(stream.receive(elicitation(id))).toBeUndefined()
  expect(stream.receive(elicitation(256))).toMatchObject({ code: -32602 })
  expect(Object.keys(stream.inputRequests)).toHaveLength(256)
  stream.remove('7')
  expect(stream.receive(elicitation(256))).toBeUndefined()
})

it('[EDGE-06] the stream of a result refuses an input request whose id is too long to be recorded', () => {
  const stream = open()
  expect(stream.receive(elicitation('q'.repeat(1024)))).toMatchObject({ code: -32602 })
  expect(stream.inputRequests).toEqual({})
})

it('[EDGE-13] the stream of a result refuses an input request that is nested too deep', () => {
  const stream = open()
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  expect(stream.receive(elicitation(1, { name: { default: deep } }))).toMatchObject({ code: -32602 })
  expect(stream.inputRequests).toEqual({})
})
