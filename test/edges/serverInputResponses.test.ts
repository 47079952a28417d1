import { defineTool, type ElicitParams } from 'taskwire/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startServer } from '../server/support/serverUnderTest.js'
import { slow, text } from '../server/support/tools.js'

const KEY = 'elicitation-1'
const accept = (content: unknown) => ({ [KEY]: { action: 'accept', content } })

/** A server with one task that stands in `input_required`. */
async function asking(params: ElicitParams) {
  const tool = defineTool({
    ...slow,
    handler: async (_, { elicit }) => text(JSON.stringify(await elicit(params))),
  })
  const t = startServer({ tools: [tool] })
  const taskId = await t.start('slow')
  return { ...t, taskId, answer: (inputResponses: unknown) => t.update(taskId, inputResponses) }
}

const order: ElicitParams = {
  message: 'Order?',
  requestedSchema: z.object({
    email: z.email(),
    count: z.number().int().min(1).max(9),
    isGift: z.boolean().default(false),
    size: z.enum(['S', 'M', 'L']),
    toppings: z
      .array(z.enum(['ham', 'olives']))
      .max(2)
      .optional(),
    note: z.string().max(10).optional(),
  }),
}
const good = { email: 'ann@example.com', count: 2, size: 'M' }

describe('a response to a form', () => {
  it.each([
    ['no content', undefined],
    ['null as content', null],
    ['no fields', {}],
    ['a field too few', { ...good, email: undefined }],
    ['a number as a text', { ...good, count: '2' }],
    ['half a number', { ...good, count: 1.5 }],
    ['a number too large', { ...good, count: 10 }],
    ['a text as a truth value', { ...good, isGift: 'yes' }],
    ['a choice that there is not', { ...good, size: 'XXL' }],
    ['a list with a choice that there is not', { ...good, toppings: ['ham', 'tar'] }],
    ['a list too long', { ...good, toppings: ['ham', 'ham', 'ham'] }],
    ['a text too long', { ...good, note: 'x'.repeat(11) }],
    ['a text in the wrong format', { ...good, email: 'ann' }],
    ['an object in a field', { ...good, note: { $gt: '' } }],
  ])('[EDGE-22] a response to a form with %s gets -32602, and the input request stays open', async (_, content) => {
    const { answer, get, taskId } = await asking(order)
    const before = await get(taskId)
    const { status, error } = await answer(accept(content))
    expect({ status, code: error?.code }).toEqual({ status: 200, code: -32602 })
    expect(error?.message).toContain(`params.inputResponses.${KEY}`)
    expect(await get(taskId)).toEqual(before)
  })

  it('[EDGE-22] a refusal of a response says which field does not fit, in few words', async () => {
    const { answer } = await asking(order)
    expect((await answer(accept({ ...good, count: 10 }))).error?.message).toContain('#/count')
    const endless = { ...good, ['x'.repeat(100_000)]: 1, note: 'x'.repeat(100_000), size: 'x'.repeat(100_000) }
    expect((await answer(accept(endless))).error?.message.length).toBeLessThan(400)
  })

  it('[EDGE-22] a response to a form that fits reaches the tool, also after one that did not', async () => {
    const { answer, get, taskId } = await asking(order)
    await answer(accept({ ...good, count: 10 }))
    expect((await answer(accept(good))).error).toBeUndefined()
    expect(await get(taskId)).toMatchObject({
      status: 'completed',
      result: text(
        JSON.stringify({ action: 'accept', content: { email: 'ann@example.com', count: 2, isGift: false, size: 'M' } }),
      ),
    })
  })

  it.each(['decline', 'cancel'])('[EDGE-22] a response to a form that says %s needs no content', async (action) => {
    const { answer, get, taskId } = await asking(order)
    expect((await answer({ [KEY]: { action } })).error).toBeUndefined()
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text(JSON.stringify({ action })) })
  })

  it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
    '[EDGE-22] a response to a form does not fill in the required field %s by what every object inherits',
    async (field) => {
      const { answer } = await asking({
        message: 'Name?',
        requestedSchema: { type: 'object', properties: {}, required: [field] },
      })
      expect((await answer(accept({}))).error?.code).toBe(-32602)
      const own = JSON.parse(`{"${field}":"text"}`) as unknown
      expect((await answer(accept(own))).error).toBeUndefined()
    },
  )

  it('[EDGE-22] a response to a form is checked against a pattern of the tool, which clients leave to the server', async () => {
    const zip = { type: 'string', pattern: '^[0-9]{5}$' } as const
    const { answer } = await asking({
      message: 'Where?',
      requestedSchema: { type: 'object', properties: { zip }, required: ['zip'] },
    })
    expect((await answer(accept({ zip: '1234' }))).error?.code).toBe(-32602)
    expect((await answer(accept({ zip: '12345' }))).error).toBeUndefined()
  })

  it('[EDGE-22] a response to one input request is refused together with what does not answer another', async () => {
    const both = defineTool({
      ...slow,
      async handler(_, { elicit }) {
        return text(JSON.stringify(await Promise.all([elicit(order), elicit(order)])))
      },
    })
    const t = startServer({ tools: [both] })
    const taskId = await t.start('slow')
    const before = await t.get(taskId)
    const answers = { ...accept(good), 'elicitation-2': { action: 'accept', content: {} } }
    expect((await t.update(taskId, answers)).error?.code).toBe(-32602)
    expect(await t.get(taskId)).toEqual(before)
  })
})

describe('a response to another input request', () => {
  it('[EDGE-22] a response to a request to visit a page needs no content', async () => {
    const { answer } = await asking({ mode: 'url', message: 'Sign in', url: 'https://example.com/' })
    expect((await answer({ [KEY]: { action: 'accept' } })).error).toBeUndefined()
  })

  it.each([
    ['sampling', 'sampling-1', { action: 'accept' }],
    ['sampling', 'sampling-1', { model: 'm', role: 'assistant', content: { type: 'text', text: 5 } }],
    ['sampling', 'sampling-1', { model: 'm', role: 'system', content: { type: 'text', text: 'hi' } }],
    ['roots', 'roots-1', { roots: [{ name: 'home' }] }],
    ['roots', 'roots-1', { roots: [{ uri: 'https://example.com/' }] }],
  ])('[EDGE-22] a response about %s gets -32602 where its shape is wrong: %s, %j', async (kind, key, response) => {
    const tool = defineTool({
      ...slow,
      async handler(_, { sample, listRoots }) {
        const asked = kind === 'roots' ? listRoots() : sample({ messages: [], maxTokens: 10 })
        return text(JSON.stringify(await asked))
      },
    })
    const t = startServer({ tools: [tool] })
    const taskId = await t.start('slow')
    expect((await t.update(taskId, { [key]: response })).error?.code).toBe(-32602)
    expect(await t.get(taskId)).toMatchObject({ status: 'input_required' })
  })
})
