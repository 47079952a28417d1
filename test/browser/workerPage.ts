import { http } from 'msw'
import { setupWorker } from 'msw/browser'
import { createTaskClient } from 'taskwire'
import { createTaskServer, defineTool } from 'taskwire/server'
import { createLiveServer, scriptTask, taskHandlers } from 'taskwire/testing'
import { z } from 'zod'

/** What an app in a browser got from servers that exist nowhere but in the page. */
interface WorkerOutcome {
  /** From a script, with every kind of fault on the way. */
  readonly scripted: unknown
  /** What went wrong on that way, as the app saw it. */
  readonly problems: readonly unknown[]
  readonly polls: number
  /** From a real tool of a task server, which pushes. */
  readonly counted: unknown
}

const count = defineTool({
  name: 'count',
  taskSupport: 'required',
  inputSchema: z.object({ to: z.number() }),
  async handler({ to }, { sleep }) {
    await sleep(to)
    return { content: [{ type: 'text', text: `counted to ${to}` }] }
  },
})

/** Runs an app of two servers, which a service worker serves. Called by the test, in the page. */
export async function runApp(): Promise<WorkerOutcome> {
  const result = { content: [{ type: 'text' as const, text: 'done' }] }
  const report = scriptTask([{ status: 'working' }, { status: 'completed', result }])
  const server = createLiveServer({ tools: [report], pollIntervalMs: 20 })
  const pushing = createTaskServer({
    serverInfo: { name: 'counters', version: '1.0.0' },
    tools: [count],
    // Only a push can be in time.
    pollIntervalMs: 600_000,
  })
  const worker = setupWorker(
    ...taskHandlers('https://reports.example/mcp', server, http),
    ...taskHandlers('/counters', pushing, http),
  )
  await worker.start({ quiet: true, onUnhandledRequest: 'bypass' })

  const problems: unknown[] = []
  const reports = createTaskClient({
    url: 'https://reports.example/mcp',
    retry: { baseMs: 10 },
    onError: (error) => problems.push('kind' in error ? error.kind : error.message),
  })
  server.faults.drop({ method: 'tasks/get', times: 1 })
  server.faults.status(503, { method: 'tasks/get', times: 1, retryAfter: 0 })
  server.faults.malformed({ method: 'tasks/get', times: 1 })
  const scripted = await reports.callTool({ name: 'report' })
  const counted = await createTaskClient({ url: '/counters' }).callTool({ name: 'count', arguments: { to: 300 } })
  return { scripted, problems, polls: server.count('tasks/get'), counted }
}
