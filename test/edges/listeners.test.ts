import { createTaskServer, defineTool } from 'taskwire/server'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createTaskClient } from '../support/anyClient.js'
import { startHttpServer } from '../support/httpServer.js'

const AT_ONCE = 25

it.each([
  ['with a signal for all', new AbortController().signal],
  ['without a signal', undefined],
])(
  '[EDGE-53] more calls at once than Node allows listeners of an event make it warn of nothing: %s',
  async (_, signal) => {
    const warnings: string[] = []
    const onWarning = ({ message }: Error) => warnings.push(message)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const begun: (() => void)[] = []
    const echo = defineTool({
      name: 'echo',
      taskSupport: 'optional',
      inputSchema: z.object({}),
      // Answers when all have arrived.
      handler: async () => {
        const all = new Promise<void>((resolve) => begun.push(resolve))
        if (begun.length === AT_ONCE) for (const resolve of begun) resolve()
        await all
        return { content: [{ type: 'text', text: 'done' }] }
      },
    })
    const serverInfo = { name: 'echo', version: '1' }
    const server = await startHttpServer(createTaskServer({ serverInfo, tools: [echo], pollIntervalMs: 50 }))
    onTestFinished(() => server.close())
    const client = createTaskClient({ url: server.url, storage: 'memory' })
    const calls = Array.from({ length: AT_ONCE }, () =>
      client.callTool({ name: 'echo' }, { ...(signal && { signal }) }),
    )
    await Promise.all(calls)
    await client.close()
    // Node warns in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
  },
)
