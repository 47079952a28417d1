import { ProtocolError } from '@modelcontextprotocol/server'
import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'
import { startHttpServer } from '../../support/httpServer.js'
import { type EraServer, POLL_INTERVAL_MS, prompt, question, TOOLS, workInput, workOutput } from './eraServer.js'

/** A server of MCP 2026-07-28 with the tools of the legacy one. */
export async function startModernServer(): Promise<EraServer> {
  const work = (name: string, taskSupport: 'required' | 'optional') =>
    defineTool({
      name,
      taskSupport,
      inputSchema: z.object({ outcome: workInput.outcome, steps: workInput.steps }),
      outputSchema: z.object(workOutput),
      handler: async ({ outcome, steps }, ctx) => {
        for (let step = 1; step <= steps; step++) {
          await ctx.sleep(10)
          await ctx.progress(`step ${step}`)
        }
        if (outcome === 'sampling') {
          const completion = await ctx.sample(prompt)
          return {
            content: [{ type: 'text', text: JSON.stringify(completion.content) }],
            structuredContent: { steps },
          }
        }
        const answer = outcome === 'input' ? await ctx.elicit(question('Go on?')) : undefined
        if (outcome === 'failure') throw new ProtocolError(-32050, 'Out of paper')
        const text = answer === undefined ? 'done' : `${answer['action']} ${JSON.stringify(answer['content'])}`
        const structuredContent = { steps: outcome === 'bad output' ? ('many' as unknown as number) : steps }
        return { content: [{ type: 'text', text }], structuredContent, isError: outcome === 'tool error' }
      },
    })
  const server = createTaskServer({
    serverInfo: { name: 'modern', version: '1.0.0' },
    pollIntervalMs: POLL_INTERVAL_MS,
    onError: () => {},
    tools: [
      work(TOOLS.work, 'required'),
      work(TOOLS.workOptionally, 'optional'),
      defineTool({
        name: TOOLS.echo,
        taskSupport: 'forbidden',
        inputSchema: z.object({ text: workInput.text }),
        handler: ({ text }) => ({ content: [{ type: 'text', text }], structuredContent: { text } }),
      }),
    ],
  })
  const http = await startHttpServer(server)
  return {
    url: http.url,
    get requests() {
      return http.requests.map(({ method, body }) => ({ method, params: body.params ?? {} }))
    },
    count: http.count,
    close: http.close,
  }
}
