import { createTaskServer } from 'taskwire/server'

const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [],
})

/** Runs all tasks again that have failed in the last hour, a page at a time. */
export async function runFailuresAgain(): Promise<void> {
  let cursor: string | undefined
  do {
    const filter = {
      status: 'failed',
      createdAfter: Date.now() - 3_600_000,
    } as const
    const page = await server.operator.list({
      ...filter,
      ...(cursor !== undefined && { cursor }),
    })
    for (const { taskId } of page.tasks) {
      const task = await server.operator.open(taskId)
      console.log(task?.tool, task?.error?.message)
      if (task?.canRunAgain) await server.operator.runAgain(taskId)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
}
