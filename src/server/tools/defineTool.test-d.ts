import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { createTaskServer } from '../createTaskServer.js'
import type { TaskContext } from '../tasks/taskContext.js'
import { defineTool } from './defineTool.js'

const serverInfo = { name: 'test', version: '1' }
const inputSchema = z.object({ quarter: z.string(), pages: z.number().default(1) })
const handler = () => ({ content: [] })
const asks = () => ({ resultType: 'input_required' })

test('the arguments of a handler are what the schema makes of them', () => {
  defineTool({
    name: 'report',
    inputSchema,
    taskSupport: 'optional',
    prepare(args) {
      expectTypeOf(args).toEqualTypeOf<{ quarter: string; pages: number }>()
      return undefined
    },
    handler(args, ctx) {
      expectTypeOf(args).toEqualTypeOf<{ quarter: string; pages: number }>()
      expectTypeOf(ctx.task).toEqualTypeOf<TaskContext | undefined>()
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
