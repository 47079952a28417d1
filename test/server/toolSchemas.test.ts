import { defineTool } from 'taskwire/server'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { startServer } from './support/serverUnderTest.js'
import { text } from './support/tools.js'

it('converts the schemas of a tool to JSON Schema once, not for each of its calls', async () => {
  const schema = z.object({ words: z.string() })
  const { jsonSchema, ...standard } = schema['~standard']
  let conversions = 0
  const input: typeof jsonSchema.input = (options) => {
    conversions += 1
    return jsonSchema.input(options)
  }
  const inputSchema = { '~standard': { ...standard, jsonSchema: { ...jsonSchema, input } } }
  const echo = defineTool({
    name: 'echo',
    inputSchema,
    taskSupport: 'forbidden',
    handler: ({ words }) => text(words),
  })
  const t = startServer({ tools: [echo] })

  for (const words of ['one', 'two', 'three']) {
    expect(await t.call('echo', { words })).toMatchObject({ result: text(words) })
  }

  expect(conversions).toBe(1)
  expect((await t.call('echo', { words: 4 })).result).toMatchObject({ isError: true })
})
