import { expect, it } from 'vitest'
import type { ToolCallState } from '../../../core/record/toolCallState.js'
import { callRow, taskName } from './callRow.js'

const taskId = 'a-task-that-nobody-may-know'

const working = {
  callId: 'call',
  name: 'report',
  phase: 'working',
  task: { taskId, status: 'working', statusMessage: `Working on ${taskId}`, pollIntervalMs: 1000 },
  progress: { progress: 3, total: 12, message: 'Figures' },
  inputRequests: {},
  inputResponses: {},
  isCancelling: false,
  network: 'ok',
  failureCount: 0,
  startedAt: 1000,
} as unknown as ToolCallState

const factsOf = (call: ToolCallState, times = { nextPollAt: 6000, lastHeardAt: 4500 }) =>
  Object.fromEntries([...callRow(call, times, 5000).facts, ...callRow(call, times, 5000).texts])

it('the row of a call counts down to the next poll, and up from the last response of the server', () => {
  expect(callRow(working, { nextPollAt: 6000, lastHeardAt: 4500 }, 5000)).toMatchObject({
    clock: 'next in 1.0 s',
    progress: 0.25,
    tone: 'active',
  })
  expect(factsOf(working)).toMatchObject({
    'Last heard': '0.5 s ago',
    'Next poll': 'in 1.0 s',
    Interval: '1.00 s',
    Progress: '3 of 12, Figures',
  })
  expect(factsOf(working, { nextPollAt: 4000, lastHeardAt: 0 })).toMatchObject({ 'Next poll': 'now' })
})

it('the row of a call shows a task by its short hash, also if the server has put the id into a message', () => {
  const row = callRow(working, { nextPollAt: undefined, lastHeardAt: undefined }, 5000)
  expect(JSON.stringify(row)).not.toContain(taskId)
  expect(JSON.stringify(row)).toContain(taskName(taskId))
})

it('the row of a call leaves out what has no value', () => {
  const nothing = { nextPollAt: undefined, lastHeardAt: undefined }
  const calling = { ...working, phase: 'calling', task: undefined, progress: undefined } as unknown as ToolCallState
  expect(callRow(calling, nothing, 5000)).toMatchObject({
    message: '',
    clock: '',
    facts: [
      ['Tool', 'report'],
      ['Call', 'call'],
      ['Phase', 'calling'],
      ['Network', 'ok'],
    ],
    texts: [],
  })
  const failed = { ...calling, phase: 'failed', error: new Error('Away'), endedAt: 4000 } as ToolCallState
  const row = callRow(failed, nothing, 5000)
  expect(row).toMatchObject({ message: 'Away', clock: 'took 3.00 s', tone: 'danger', texts: [['Message', 'Away']] })
})

it('the row of a call whose tool has failed says so, in the tone of failures', () => {
  const task = { ...working.task, status: 'completed' }
  const result = { content: [{ type: 'text', text: 'No figures\nof Q3' }], isError: true }
  const call = { ...working, phase: 'completed', task, result } as ToolCallState
  expect(callRow(call, { nextPollAt: undefined, lastHeardAt: undefined }, 5000)).toMatchObject({
    phase: 'completed, isError',
    tone: 'danger',
    message: 'No figures of Q3',
    facts: expect.arrayContaining([['Phase', 'completed, isError']]),
  })
})

it('the row of a call lists input requests with the state of their responses', () => {
  const asking = { ...working, inputRequests: { a: {}, b: {} }, inputResponses: { b: { status: 'sending' } } }
  expect(factsOf(asking as unknown as ToolCallState)).toMatchObject({ 'Input requests': 'a: open, b: sending' })
})

it('the row of a job says which tool is asked how it stands', () => {
  const { facts } = callRow(working, { nextPollAt: 6000, lastHeardAt: 4500, statusTool: 'report_status' }, 5000)
  expect(facts).toContainEqual(['Task', `${taskName(taskId)} (status tool: report_status)`])
})
