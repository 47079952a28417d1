import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { createTaskServer } from '../createTaskServer.js'
import { defineTool } from './defineTool.js'
import type { PrepareContext, ToolContext } from './toolContext.js'

const serverInfo = { name: 'test', version: '1' }
const inputSchema = z.object({ quarter: z.string(), pages: z.number().default(1) })
const handler = () => ({ content: [] })
const asks = () => ({ resultType: 'input_required' })

test('the arguments of a handler are what the schema makes of them', () => {
  defineTool({
    name: 'report',
    inputSchema,
    taskSupport: 'optional',
    prepare(args, context) {
      expectTypeOf(context).toEqualTypeOf<PrepareContext>()
      // @ts-expect-error there is no work yet that could ask
      void context.elicit
      expectTypeOf(args).toEqualTypeOf<{ quarter: string; pages: number }>()
      return undefined
    },
    handler(args, context) {
      expectTypeOf(args).toEqualTypeOf<{ quarter: string; pages: number }>()
      expectTypeOf(context).toEqualTypeOf<ToolContext>()
      expectTypeOf(context.taskId).toEqualTypeOf<string | undefined>()
      // @ts-expect-error what works with a task works without one: there is one way
      void context.task
      return { content: [] }
    },
  })
})

test('tools of different arguments fit into one server', () => {
  const report = defineTool({
    name: 'report',
    inputSchema,
    taskSupport: 'optional',
    handler: ({ pages }) => ({ content: [], structuredContent: { pages } }),
  })
  const greet = defineTool({
    name: 'greet',
    inputSchema: z.object({ name: z.string() }),
    taskSupport: 'forbidden',
    handler,
  })
  createTaskServer({ serverInfo, tools: [report, greet] })
})

test('mistakes do not compile', () => {
  // @ts-expect-error every tool says whether it can be a task
  defineTool({ name: 'report', inputSchema, handler })
  // @ts-expect-error there is no such support
  defineTool({ name: 'report', inputSchema, taskSupport: 'sometimes', handler })
  // @ts-expect-error a JSON Schema is no Standard Schema
  defineTool({ name: 'report', inputSchema: { type: 'object' }, taskSupport: 'optional', handler })
  // @ts-expect-error text is no result
  defineTool({ name: 'report', inputSchema, taskSupport: 'optional', handler: () => 'done' })
  // @ts-expect-error an input request before the task belongs into prepare
  defineTool({ name: 'report', inputSchema, taskSupport: 'optional', handler: asks })
  // @ts-expect-error a server has tools
  createTaskServer({ serverInfo })
})

test('progress is a number of a total, or words alone, and nothing else', () => {
  defineTool({
    name: 'report',
    inputSchema,
    taskSupport: 'optional',
    async handler(_, { progress, once, sample, listRoots }) {
      await progress(3, 10, 'Asia')
      await progress('Asia')
      // @ts-expect-error words have no total
      void progress('Asia', 10)
      // @ts-expect-error a message comes third
      void progress(3, 'Asia')
      expectTypeOf(await once('pay', () => ({ receipt: 'r' }))).toEqualTypeOf<{ receipt: string }>()
      expectTypeOf((await sample({ messages: [], maxTokens: 1 })).model).toEqualTypeOf<string>()
      expectTypeOf((await listRoots()).roots[0]?.uri).toEqualTypeOf<string | undefined>()
      return { content: [] }
    },
  })
})
