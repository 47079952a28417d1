import type { TaskClient, TaskClientOptions, TaskClientUrlOptions } from 'taskwire'
import { type Reply, result } from '../support/scriptedServer.js'
import { createVisits, type Visit } from '../support/visits.js'
import type { JobFixture } from './jobFixture.js'

/** What the status tool says now: one of the answers of the fixture. */
export type Says = 'working' | 'completed' | 'failed' | 'cancelled' | 'gone' | 'lie'

/** One browser, whose pages visit a server of that shape. It has no tasks. */
export function createJobVisits(
  createTaskClient: (options: TaskClientOptions) => TaskClient,
  fixture: JobFixture,
  { on = (reply: Reply): Reply => reply } = {},
) {
  const visits = createVisits(createTaskClient, { tools: {} })
  const { server } = visits
  const { job, answers, call, cancels } = fixture
  const statusTool = typeof job.status === 'string' ? job.status : job.status.tool
  let says: Says = 'working'
  let isCancelled = false
  const isCancel = (params: Record<string, unknown>) =>
    cancels !== undefined && params['name'] === cancels.name && isSame(params['arguments'], cancels.arguments)
  server.on('tools/list', result({ tools: [...fixture.tools], ttlMs: 0, cacheScope: 'private' }))
  server.on(
    'tools/call',
    on((request) => {
      const { name } = request.params
      if (name === call.name) return result(answers.started)(request)
      if (isCancel(request.params)) {
        isCancelled = true
        return result(answers.cancel)(request)
      }
      if (name === statusTool) return result(answers[isCancelled ? 'cancelled' : says])(request)
      return result(fixture.outcome)(request)
    }),
  )
  const calls = (name: string) => server.received('tools/call').filter(({ params }) => params['name'] === name)
  return {
    ...visits,
    open: (options: Partial<TaskClientUrlOptions> = {}, page = visits.browser.openPage()) =>
      visits.open({ jobs: [job], ...options }, page),
    /** Calls the start tool by a key. */
    start({ client }: Visit) {
      const started = client.startToolCall(call, { key: 'once' })
      started.result.catch(() => {})
      return started
    },
    says: (next: Says) => {
      says = next
    },
    started: () => calls(call.name),
    polls: () => calls(statusTool).filter(({ params }) => !isCancel(params)),
    cancelled: () => server.received('tools/call').filter(({ params }) => isCancel(params)),
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
