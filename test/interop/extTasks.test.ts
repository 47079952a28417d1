import { resultFromTaskOutcome, type ToolExecution } from '@modelcontextprotocol/ext-tasks/client'
import {
  isCreateTaskResultV2,
  isDetailedTaskV2,
  isTaskStatusNotificationV2,
  readAcceptedTaskIdsV2,
} from '@modelcontextprotocol/ext-tasks/core/v2'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskServer, type TaskServer } from '../../src/server/createTaskServer.js'
import { listen } from '../server/support/listening.js'
import { settle } from '../server/support/manualClock.js'
import { startServer as startTestServer } from '../server/support/serverUnderTest.js'
import { ask, failing, greet, required, slow, stubborn, text } from '../server/support/tools.js'
import { openSession } from './support/extTasksSession.js'

// The package has no clock to inject: the timers of the platform are simulated, for it and for the server.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

/** Lets simulated time pass until the promise is settled. */
async function meanwhile<T>(promise: Promise<T>): Promise<T> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  promise.then(end, end)
  for (;;) {
    await settle()
    if (isOver) return promise
    await vi.advanceTimersByTimeAsync(100)
  }
}

function startServer(): TaskServer {
  return createTaskServer({
    serverInfo: { name: 'test', version: '1.0.0' },
    tools: [greet, slow, required, stubborn, failing, ask],
    pollIntervalMs: 500,
    onError: () => {},
  })
}

async function outcomeOf(execution: ToolExecution<unknown>) {
  const { outcome } = await meanwhile(execution.settle())
  return outcome
}

describe('the official client for tasks', () => {
  it('completes a task', async () => {
    const session = await openSession(startServer())
    const execution = await session.callTool('slow', { ms: 2000 })
    expect(execution.kind).toBe('task')
    const outcome = await outcomeOf(execution)
    expect(resultFromTaskOutcome(outcome)).toMatchObject(text('done'))
    // From its creation: it was worked on for two seconds, and is kept for an hour after that.
    expect(outcome.task).toMatchObject({ status: 'completed', suggestedPollIntervalMs: 500, retentionMs: 3_602_000 })
  })

  it('gets the response of a tool that needs no task at once', async () => {
    const session = await openSession(startServer())
    const execution = await session.callTool('greet', { name: 'Ann' })
    expect(execution.kind).toBe('immediate')
    expect(resultFromTaskOutcome(await outcomeOf(execution))).toMatchObject(text('Hello, Ann!'))
  })

  it('sees a task fail, with code, message and data', async () => {
    const session = await openSession(startServer())
    const outcome = await outcomeOf(await session.callTool('failing', { how: 'protocol' }))
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: -32050, message: 'Out of paper', data: { tray: 2 } },
    })
  })

  it('takes a tool that could not do its work for completed', async () => {
    const session = await openSession(startServer())
    const outcome = await outcomeOf(await session.callTool('failing', { how: 'isError' }))
    expect(outcome).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  it('cancels a task', async () => {
    const session = await openSession(startServer())
    const execution = await session.callTool('required', { ms: 60_000 })
    await execution.cancel()
    if (execution.kind !== 'task') throw new TypeError('no task')
    const { taskId } = execution.handle
    expect(await meanwhile(session.task(taskId).snapshot())).toMatchObject({ status: 'cancelled' })
  })

  it('gets the result of a task that would not be cancelled', async () => {
    const session = await openSession(startServer())
    const { taskId } = (await session.callTool('stubborn')).handle ?? {}
    if (taskId === undefined) throw new TypeError('no task')
    const controller = session.task(taskId)
    await controller.cancel()
    expect(await meanwhile(controller.result())).toMatchObject({ status: 'completed', result: text('done anyway') })
  })

  it('responds to the input requests of a task', async () => {
    const session = await openSession(startServer(), { name: 'Ann' })
    const outcome = await outcomeOf(await session.callTool('ask', { times: 3 }))
    const answer = { action: 'accept', content: { name: 'Ann' } }
    expect(resultFromTaskOutcome(outcome)).toMatchObject(text(JSON.stringify([answer, answer, answer])))
  })

  it('takes a task up again from what another client has left', async () => {
    const server = startServer()
    const before = await openSession(server)
    const execution = await before.callTool('slow', { ms: 3000 })
    if (execution.kind !== 'task') throw new TypeError('no task')
    // Not session.close(), which cancels what is still at work.
    let stored = ''
    await execution.handoff((reference) => {
      stored = JSON.stringify(reference)
    })
    await vi.advanceTimersByTimeAsync(1000)

    const after = await openSession(server)
    const resumed = await meanwhile(after.resumeTask(JSON.parse(stored)))
    expect(resultFromTaskOutcome(await outcomeOf(resumed))).toMatchObject(text('done'))
  })

  it('is told that there is no such task', async () => {
    const session = await openSession(startServer())
    const reference = { endpointId: 'test', generation: 'v2', taskId: 'made-up', originalOperation: 'tools/call' }
    const resuming = session.resumeTask(JSON.parse(JSON.stringify(reference)))
    await expect(meanwhile(resuming)).rejects.toMatchObject({ code: -32602 })
  })
})

describe('the official guards', () => {
  const tools = [slow, failing, ask]

  it('accept what a call that becomes a task is answered with', async () => {
    const { call } = startTestServer({ tools })
    expect(isCreateTaskResultV2((await call('slow')).result)).toBe(true)
    for (const how of ['isError', 'protocol']) {
      expect(isCreateTaskResultV2((await call('failing', { how })).result)).toBe(true)
    }
  })

  it('accept every state of a task, polled or pushed', async () => {
    const t = startTestServer({ tools })
    const cancelled = await t.start('slow')
    await t.cancel(cancelled)
    const taskIds = [
      cancelled,
      await t.start('ask'),
      await t.start('failing', { how: 'protocol' }),
      await t.start('failing', { how: 'isError' }),
      await t.start('slow', { ms: 60_000 }),
    ]
    const [ack, ...pushed] = await (await listen(t, { taskIds })).messages()
    expect(readAcceptedTaskIdsV2(ack?.['params'])).toEqual(taskIds)
    expect(pushed.map(isTaskStatusNotificationV2)).toEqual(taskIds.map(() => true))
    const polled = await Promise.all(taskIds.map((taskId) => t.get(taskId)))
    expect(polled.map(isDetailedTaskV2)).toEqual(taskIds.map(() => true))
    expect(new Set(polled.map((task) => task['status']))).toEqual(
      new Set(['cancelled', 'input_required', 'failed', 'completed', 'working']),
    )
  })
})
