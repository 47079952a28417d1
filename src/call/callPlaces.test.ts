import { createSimulatedEnvironment } from 'taskwire/testing'
import { expect, it, vi } from 'vitest'
import { START, stubLeadership, TASK, working } from '../../test/support/stubbedCall.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import type { Call, CallEvent, Following } from './call.js'
import { type CallEntry, createEntry } from './callEntry.js'
import { createCallPlaces } from './callPlaces.js'
import { NO_PUSH } from './pushSubscription.js'
import { MESSAGE_DELAY_MS } from './tabTimes.js'
import { createTaskIndex } from './taskIndex.js'

const CALLING: Call = { callId: 'c1', name: 'report', startedAt: START, stage: 'calling', inputs: new Map() }
const following = (changes: Partial<Following> = {}): Following => ({
  ...TRACKED,
  callId: 'c1',
  name: 'report',
  startedAt: START,
  stage: 'following',
  earliestAt: START + 700,
  ...changes,
})
const ended = (): Call => ({
  ...following(),
  stage: 'ending',
  end: { ...TASK, status: 'completed', result: { content: [] } },
})

/** The places of the calls of a page beside others, and a log of what is done for them. */
function begin({ isLeader = true, isAlone = false } = {}) {
  const page = createSimulatedEnvironment({ now: START })
  const log: string[] = []
  const events: [CallEntry, CallEvent][] = []
  const election = stubLeadership(isLeader)
  const onLast = vi.fn()
  const index = createTaskIndex(() => onLast)
  const places = createCallPlaces({
    environment: page.environment,
    index,
    tabs: {
      isAlone,
      leadershipOf: () => election.leadership,
      postSyncRequest: (taskId, nextPollAt) =>
        log.push(`ask of ${taskId}${nextPollAt ? `, ${nextPollAt - START}` : ''}`),
    },
    push: { ...NO_PUSH, update: () => log.push('update push'), close: () => log.push('close push') },
    now: () => START,
    dispatch: (entry, event) => events.push([entry, event]),
    onReleased: (taskId) => log.push(`release ${taskId}`),
  })
  const move = (entry: CallEntry, call: Call) => {
    const before = entry.call
    entry.call = call
    places.move(entry, before, call)
  }
  const taken = () => log.splice(0)
  return { page, election, onLast, index, places, events, move, taken, entry: () => createEntry(CALLING) }
}

it('a call that has become a task joins its election, asks the other tabs and is pushed to', () => {
  const { election, index, events, move, taken, entry } = begin()
  const call = entry()
  move(call, following({ record: 'unwritten' }))
  expect(index.entriesOf('t1')).toEqual([call])
  expect(election.log).toEqual(['join'])
  expect(taken()).toEqual(['ask of t1, 700', 'update push'])
  expect(events).toEqual([])
})

it('a call of another page asks, and names no time: the others know it', () => {
  const { move, taken, entry } = begin()
  move(entry(), following())
  expect(taken()).toEqual(['ask of t1', 'update push'])
})

it.each([
  ['another-tab', true],
  ['this-tab', false],
] as const)(
  'a call whose poller is %s hears of the leader when it joins the election, where the tab leads: %s',
  (poller, isLeader) => {
    const { events, move, entry } = begin({ isLeader })
    const call = entry()
    move(call, following({ poller }))
    expect(events).toEqual([[call, { type: 'leader-changed' }]])
  },
)

it('a page that is alone joins no election and asks nobody', () => {
  const { election, move, taken, entry } = begin({ isAlone: true })
  move(entry(), following())
  expect(election.log).toEqual([])
  expect(taken()).toEqual(['update push'])
})

it('a call receives, as foreign, what another call of this page knows of its task', () => {
  const { events, move, entry } = begin()
  const [first, second] = [entry(), entry()]
  move(first, following({ dueAt: START + 900 }))
  expect(events).toEqual([])
  move(second, following())
  const message = { type: 'snapshot', task: working(), nextPollAt: START + 900, earliestAt: START + 700 }
  expect(events).toEqual([[second, { type: 'message', message, isOwn: false }]])
})

it('the stream is updated for the first call that is polled here and for each task, and closed after the last', () => {
  const { move, taken, entry } = begin()
  const [first, second] = [entry(), entry()]
  const other = { task: { ...TASK, taskId: 't2' } }
  move(first, following())
  move(second, following(other))
  expect(taken()).toEqual(['ask of t1', 'update push', 'ask of t2', 'update push'])
  move(second, following({ ...other, dueAt: START + 1 }))
  expect(taken()).toEqual([])
  move(second, following({ task: { ...TASK, taskId: 't3' } }))
  expect(taken()).toEqual(['ask of t3', 'release t2', 'update push'])
  move(first, following({ poller: 'another-tab' }))
  expect(taken()).toEqual(['update push'])
  move(second, ended())
  expect(taken()).toEqual(['release t3', 'close push'])
})

it('a call that has ended has no place, and what its task held is released after the last that follows it', async () => {
  const { page, election, index, move, taken, entry } = begin()
  const [first, second] = [entry(), entry()]
  move(first, following())
  move(second, following())
  taken()
  move(first, ended())
  expect(index.entriesOf('t1')).toEqual([second])
  expect(taken()).toEqual(['update push'])
  move(second, ended())
  expect(index.entriesOf('t1')).toEqual([])
  expect(taken()).toEqual(['release t1', 'close push'])
  await page.advance(MESSAGE_DELAY_MS)
  expect(election.log).toEqual(['join', 'leave'])
})

it('a call that rests keeps its place in the index, and takes part in no election', async () => {
  const { page, election, index, move, taken, entry } = begin()
  const call = entry()
  move(call, following())
  taken()
  move(call, { ...following(), stage: 'resting' })
  expect(index.entriesOf('t1')).toEqual([call])
  expect(taken()).toEqual(['release t1', 'close push'])
  await page.advance(MESSAGE_DELAY_MS)
  expect(election.log).toEqual(['join', 'leave'])
})

it('a call that is observed again joins its election again, and is polled here again', async () => {
  const { page, election, move, taken, entry } = begin()
  const call = entry()
  move(call, following())
  move(call, { ...following(), stage: 'resting' })
  await page.advance(MESSAGE_DELAY_MS)
  taken()
  move(call, following())
  expect(election.log).toEqual(['join', 'leave', 'join'])
  expect(taken()).toEqual(['ask of t1', 'update push'])
})

it('a call that is left has no place; the last of a task releases it', async () => {
  const { page, election, index, places, move, taken, entry } = begin()
  const [first, second] = [entry(), entry()]
  move(first, following())
  move(second, following())
  taken()
  places.leave(first)
  expect(index.entriesOf('t1')).toEqual([second])
  expect(taken()).toEqual(['update push'])
  places.leave(second)
  expect(index.entriesOf('t1')).toEqual([])
  expect(taken()).toEqual(['release t1', 'close push'])
  await page.advance(MESSAGE_DELAY_MS)
  expect(election.log).toEqual(['join', 'leave'])
})

it('a page hears once that its last task has ended, and nothing of calls that are no tasks', () => {
  const { onLast, places, move, entry } = begin()
  const [first, second, calling] = [entry(), entry(), entry()]
  move(first, following())
  move(first, ended())
  places.leave(calling)
  move(second, following())
  expect(onLast).toHaveBeenCalledOnce()
})

it('a call that is left before it was a task, or while it rests, leaves nothing behind and ends nothing', () => {
  const { index, places, move, taken, entry } = begin()
  const [calling, resting, polled] = [entry(), entry(), entry()]
  move(resting, { ...following(), stage: 'resting' })
  move(polled, following({ task: { ...TASK, taskId: 't2' } }))
  taken()
  places.leave(calling)
  places.leave(resting)
  expect(index.taskIds()).toEqual(['t2'])
  expect(taken()).toEqual([])
})
