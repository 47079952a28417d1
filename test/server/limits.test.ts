import { defineTool } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createManualClock, settle } from './support/manualClock.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { ask, slow, text } from './support/tools.js'

describe('a result that is larger than maxResultSize', () => {
  const big = (taskSupport: 'optional' | 'forbidden') =>
    defineTool({ ...slow, taskSupport, handler: () => text('ü'.repeat(600)) })
  const message = expect.stringMatching(
    /^The result of the tool has 12\d\d bytes, and the server sends 1000 at most\.$/,
  )

  it('fails its task, is not stored, and is reported', async () => {
    const t = startServer({ tools: [big('optional')], maxResultSize: 1000 })
    expect(await t.get(await t.start('slow'))).toMatchObject({ status: 'failed', error: { code: -32603, message } })
    expect(t.errors.map(({ error }) => (error as Error).message)).toEqual([message])
  })

  it('fails a call without a task in the same way', async () => {
    const t = startServer({ tools: [big('forbidden')], maxResultSize: 1000 })
    expect((await t.call('slow')).error).toMatchObject({ code: -32603, message })
  })

  it('is 4 MiB unless the option says otherwise', async () => {
    const tool = defineTool({ ...slow, taskSupport: 'forbidden', handler: ({ ms }) => text('x'.repeat(ms)) })
    const { call } = startServer({ tools: [tool] })
    expect((await call('slow', { ms: 4_000_000 })).error).toBeUndefined()
    expect((await call('slow', { ms: 4_200_000 })).error).toMatchObject({ code: -32603 })
  })
})

describe('a pattern in a form', () => {
  const asking = (pattern: RegExp) =>
    defineTool({
      ...ask,
      async handler(_, { elicit }) {
        const code = { type: 'string', pattern: pattern.source } as const
        const requestedSchema = { type: 'object' as const, properties: { code } }
        return text(JSON.stringify(await elicit({ message: 'Code?', requestedSchema })))
      },
    })

  it.each([
    /^(a+)+$/,
    /^(a|aa)*$/,
    /^([a-z]+\s?){2,}$/,
    /^((ab)*c?)+$/,
    /^\d*\d*\d*\d*\d*$/,
    /\d*\d*\d*\d*x/,
    /^(a?){28}a{28}$/,
    /^(a?a?a?a?){9}$/,
    /^a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaaaaaaaaaaaaa$/,
    /^a{0,127}a{0,127}a{0,127}(a?){5}$/,
  ])('is refused where it can block the process: %s', async (pattern) => {
    const t = startServer({ tools: [asking(pattern)] })
    expect(await t.get(await t.start('ask'))).toMatchObject({ status: 'failed' })
    expect(String(t.errors[0]?.error)).toContain('can take minutes on a short text')
  })

  it.each([
    /^[A-Z]{2}\d+$/,
    /^\(\d+\)[+*]$/,
    /^(?:north|south)$/,
    /^(ab)+$/,
    /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
    /^\+?\d+[- ]?\d+[- ]?\d+$/,
    /^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$/,
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
    /^.{1,300}?$/,
  ])('is sent where it cannot: %s', async (pattern) => {
    const t = startServer({ tools: [asking(pattern)] })
    expect(await t.get(await t.start('ask'))).toMatchObject({ status: 'input_required' })
  })

  it.each([
    { properties: { code: { type: 'string', allOf: [{ pattern: '^(a+)+$' }] } } },
    { properties: { code: { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } } } },
    { properties: { code: { type: 'string' } }, allOf: [{ properties: { code: { pattern: '^(a+)+$' } } }] },
    { properties: {}, patternProperties: { '^(a+)+$': { type: 'string' } } },
  ])('is refused where the specification has none: %j', async (form) => {
    const tool = defineTool({
      ...ask,
      async handler(_, { elicit }) {
        return text(JSON.stringify(await elicit({ message: 'Code?', requestedSchema: form as never })))
      },
    })
    const t = startServer({ tools: [tool] })
    expect(await t.get(await t.start('ask'))).toMatchObject({ status: 'failed' })
    expect(String(t.errors[0]?.error)).toContain('Failed to ask for input')
  })

  it('is not tried on a text of more than 256 characters', async () => {
    const t = startServer({ tools: [asking(/^\d*\d*\d*$/)] })
    const taskId = await t.start('ask')
    await settle()
    const content = { code: `${'1'.repeat(100_000)}x` }
    const { error } = await t.update(taskId, { 'elicitation-1': { action: 'accept', content } })
    expect(error).toMatchObject({ code: -32602 })
  })

  it('of zod for an email address stays usable', async () => {
    const tool = defineTool({
      ...ask,
      async handler(_, { elicit }) {
        const answer = await elicit({ message: 'Where?', requestedSchema: z.object({ to: z.email() }) })
        return text(answer.action === 'accept' ? answer.content.to : 'nowhere')
      },
    })
    const t = startServer({ tools: [tool] })
    const taskId = await t.start('ask')
    await settle()
    await t.update(taskId, { 'elicitation-1': { action: 'accept', content: { to: 'ann@a.example' } } })
    expect(await t.get(taskId)).toMatchObject({ result: text('ann@a.example') })
  })
})

describe('the response to a form', () => {
  const requestedSchema = z.object({
    day: z.string().transform((day) => Number(day)),
    word: z.string().refine((word) => word !== 'no', 'Say yes.'),
  })
  const tool = defineTool({
    ...ask,
    async handler(_, { elicit }) {
      const answer = await elicit({ message: 'When?', requestedSchema })
      return text(answer.action === 'accept' ? `${answer.content.day + 1}` : String(answer.action))
    },
  })

  async function answered(response: object) {
    const t = startServer({ tools: [tool] })
    const taskId = await t.start('ask')
    await settle()
    await t.update(taskId, { 'elicitation-1': response })
    return t.get(taskId)
  }

  it('is what the Standard Schema makes of it', async () => {
    const accepted = await answered({ action: 'accept', content: { day: '30', word: 'yes' } })
    expect(accepted).toMatchObject({ result: text('31') })
    expect(await answered({ action: 'decline' })).toMatchObject({ result: text('decline') })
  })

  it('fails the handler where the schema refuses what JSON Schema cannot', async () => {
    expect(await answered({ action: 'accept', content: { day: '30', word: 'no' } })).toMatchObject({
      status: 'failed',
      error: { code: -32602, message: 'The response to an input request does not fit its form: Say yes.' },
    })
  })
})

describe('a handler that blocks its process', () => {
  it('is reported where the leases of other tasks are lost by it', async () => {
    const clock = createManualClock()
    const t = startServer({ store: new SharedStore(), clock, tools: [slow], leaseMs: 4000 })
    await t.start('slow', { ms: 60_000 })
    await clock.advance(1000)
    const { now } = clock
    clock.now = () => now() + 5000
    onTestFinished(() => {
      clock.now = now
    })
    await clock.advance(1000)
    expect(t.errors.map(({ error }) => String(error))).toContainEqual(
      'TaskError: The process did not run for 6000 ms, and 1 of its tasks count as lost. ' +
        'Move long computations to a worker thread, or raise `leaseMs`.',
    )
  })
})
