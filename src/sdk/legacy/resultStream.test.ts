import type { JSONRPCRequest } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { createResultStream, requestIdOf, withdrawnKey } from './resultStream.js'

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

describe('the request that keeps the stream of a result open', () => {
  /** Requests that end when they are told to. */
  function setUp() {
    const requests: { signal: AbortSignal; resolve: (value: unknown) => void; reject: (error: unknown) => void }[] = []
    const stream = createResultStream(
      (signal) => new Promise((resolve, reject) => requests.push({ signal, resolve, reject })),
      () => undefined,
    )
    return { stream, requests, settle: () => new Promise((resolve) => setImmediate(resolve)) }
  }

  it.each(['resolve', 'reject'] as const)('is sent once, and again when it %ss', async (way) => {
    const { stream, requests, settle } = setUp()
    stream.open()
    stream.open()
    expect(requests).toHaveLength(1)
    requests[0]?.[way](undefined)
    await settle()
    stream.open()
    expect(requests).toHaveLength(2)
  })

  it('is given up by close(), and what comes of it then does not count for the next one', async () => {
    const { stream, requests, settle } = setUp()
    stream.close()
    stream.open()
    stream.close()
    expect(requests[0]?.signal.aborted).toBe(true)
    stream.open()
    requests[0]?.reject(new Error('aborted'))
    await settle()
    stream.open()
    expect(requests).toHaveLength(2)
    expect(requests[1]?.signal.aborted).toBe(false)
  })
})

describe('what the server may not ask', () => {
  const request = (method: string, params = {}): JSONRPCRequest => ({ jsonrpc: '2.0', id: 1, method, params })

  it.each([
    ['a method that is unknown', undefined, request('tools/call'), -32601, /^The request/],
    ['a known method with wrong params', undefined, request('elicitation/create'), -32602, /^The request/],
    ['a method that was not declared', 'sampling', elicitation(1), -32601, 'The client has not declared sampling.'],
    [
      'a mode that was not declared',
      'elicitation.url',
      elicitation(1),
      -32602,
      'The client has not declared elicitation.url.',
    ],
  ])('is %s', (_, missing, message, code, words) => {
    const stream = createResultStream(
      () => new Promise(() => {}),
      () => missing,
    )
    expect(stream.receive(message)).toEqual({ code, message: expect.stringMatching(words) })
    expect(stream.inputRequests).toEqual({})
  })
})

describe('the id of a request of the server', () => {
  it.each([
    ['5', 5],
    ['"q"', 'q'],
    ['nonsense', undefined],
    ['null', undefined],
    ['{"id":5}', undefined],
    ['[5]', undefined],
  ])('that the key %s stands for is %j', (key, id) => {
    expect(requestIdOf(key)).toBe(id)
  })

  it.each([
    ['notifications/cancelled', { requestId: 5 }, '5'],
    ['notifications/cancelled', { requestId: 'q' }, '"q"'],
    ['notifications/cancelled', { requestId: { a: 5 } }, undefined],
    ['notifications/cancelled', {}, undefined],
    ['notifications/cancelled', undefined, undefined],
    ['notifications/message', { requestId: 5 }, undefined],
  ])('that %s takes back with %j has the key %s', (method, params, key) => {
    expect(withdrawnKey({ jsonrpc: '2.0', method, params } as Parameters<typeof withdrawnKey>[0])).toBe(key)
  })
})
