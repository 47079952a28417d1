import { inputRequired } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defineTool, type ToolDefinition } from '../../src/server.js'
import { createTestServer, type TestServer, type TestServerOptions } from '../../src/testing.js'

/** A test server with the tools below. What they throw is meant to be thrown. */
export function createWorkServer(options: Omit<TestServerOptions, 'tools'> = {}): TestServer {
  return createTestServer({ tools: workTools, onError: () => {}, ...options })
}

/** A form with one box to tick. */
function confirmation(message: string) {
  const requestedSchema = {
    type: 'object' as const,
    properties: { ok: { type: 'boolean' as const } },
    required: ['ok'],
  }
  return { mode: 'form' as const, message, requestedSchema }
}

/**
 * `work` (a task; takes `seconds`, says "step n" each second unless `quiet`, ends as `outcome` says), `look`
 * (the same, read-only), `ask` and `ask_early` (ask while the task runs, and before there is one) and `echo`
 * (answers at once).
 */
export const workTools: readonly ToolDefinition[] = [
  defineTool({
    name: 'work',
    taskSupport: 'optional',
    inputSchema: z.object({
      seconds: z.number(),
      quiet: z.boolean().default(false),
      outcome: z.enum(['success', 'failure', 'tool error']).default('success'),
    }),
    handler: async ({ seconds, quiet, outcome }, ctx) => {
      for (let step = 1; step <= seconds; step++) {
        await ctx.sleep(1000)
        if (!quiet) await ctx.progress(`step ${step}`)
      }
      if (outcome === 'failure') throw new Error('broken')
      const isError = outcome === 'tool error'
      return { content: [{ type: 'text', text: outcome }], structuredContent: { seconds }, isError }
    },
  }),
  defineTool({
    name: 'look',
    taskSupport: 'optional',
    annotations: { readOnlyHint: true },
    inputSchema: z.object({ seconds: z.number() }),
    handler: async ({ seconds }, ctx) => {
      await ctx.sleep(seconds * 1000)
      return { content: [{ type: 'text', text: 'seen' }] }
    },
  }),
  defineTool({
    name: 'ask',
    taskSupport: 'required',
    inputSchema: z.object({ questions: z.array(z.string()) }),
    handler: async ({ questions }, ctx) => {
      const answers = await Promise.all(questions.map((message) => ctx.elicit(confirmation(message))))
      return { content: [{ type: 'text', text: JSON.stringify(answers) }] }
    },
  }),
  defineTool({
    name: 'ask_early',
    taskSupport: 'required',
    inputSchema: z.object({ message: z.string() }),
    prepare: ({ message }, ctx) =>
      ctx.inputResponses['early'] === undefined
        ? inputRequired({ inputRequests: { early: inputRequired.elicit(confirmation(message)) } })
        : undefined,
    handler: async (_, ctx) => ({ content: [{ type: 'text', text: JSON.stringify(ctx.inputResponses['early']) }] }),
  }),
  defineTool({
    name: 'echo',
    taskSupport: 'forbidden',
    inputSchema: z.object({ text: z.string() }),
    handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
  }),
]
