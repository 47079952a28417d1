import type { JSONRPCRequest } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { createSideChannel } from './resultStream.js'

const question = (id: string | number, properties: Record<string, unknown> = {}): JSONRPCRequest => ({
  jsonrpc: '2.0',
  id,
  method: 'elicitation/create',
  params: { message: 'Well?', requestedSchema: { type: 'object', properties } },
})
const open = () =>
  createSideChannel(
    () => new Promise(() => {}),
    () => undefined,
  )

it('[EDGE-06] takes 256 questions without an answer, and refuses the others until one of those is answered', () => {
  const channel = open()
  for (let id = 0; id < 256; id++) expect(channel.take(question(id))).toBeUndefined()
  expect(channel.take(question(256))).toMatchObject({ code: -32602 })
  expect(Object.keys(channel.questions)).toHaveLength(256)
  channel.drop('7')
  expect(channel.take(question(256))).toBeUndefined()
})

it('[EDGE-06] refuses a question whose id is too long to be recorded', () => {
  const channel = open()
  expect(channel.take(question('q'.repeat(1024)))).toMatchObject({ code: -32602 })
  expect(channel.questions).toEqual({})
})

it('[EDGE-13] refuses a question that is nested too deep', () => {
  const channel = open()
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  expect(channel.take(question(1, { name: { default: deep } }))).toMatchObject({ code: -32602 })
  expect(channel.questions).toEqual({})
})
