import { createTaskClient } from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createTestServer } from 'taskwire/testing'
import { z } from 'zod'

const SECONDS = 10

/** How often a task of ten seconds is polled, once a second, and how often it has to be. */
export async function countPolls({ tabs, observers }: { tabs: number; observers: number }) {
  const work = defineTool({
    name: 'work',
    taskSupport: 'required',
    inputSchema: z.object({}),
    handler: async (_, ctx) => {
      await ctx.sleep(SECONDS * 1000)
      return { content: [] }
    },
  })
  const server = createTestServer({ tools: [work] })
  const clients = Array.from({ length: tabs }, () =>
    createTaskClient({ url: server.url, environment: server.browser.openPage().environment }),
  )
  const calls = clients.flatMap((client) =>
    Array.from({ length: observers }, () => client.startToolCall({ name: 'work' }, { key: 'work' })),
  )
  for (const call of calls) call.subscribe(() => {})
  await server.advance((SECONDS + 1) * 1000)
  await Promise.all(calls.map(({ result }) => result))
  await Promise.all(clients.map((client) => client.close()))
  return { polls: server.count('tasks/get'), fewest: SECONDS }
}
