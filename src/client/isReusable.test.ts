import { expect, it } from 'vitest'
import { RESULT, TASK } from '../../test/support/stubbedCall.js'
import { shownState } from '../call/shownState.js'
import {
  ConnectionFailedError,
  PageOutdatedError,
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskUnreachableError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import { isReusable } from './isReusable.js'

const identity = { callId: 'c1', name: 'report', startedAt: 0 }
const waiting = shownState({ ...identity, stage: 'waiting', for: 'lock' })
const ended = (outcome: { error: Error } | { result: typeof RESULT }, task?: typeof TASK) =>
  shownState({ ...identity, stage: 'settled', outcome, task, endedAt: 0 })
const done = ended({ result: RESULT })
const broken = new TaskProtocolError('no content', { source: 'tools/call' })

it.each([
  ['a call that goes on', 'never', true, waiting],
  ['a call that goes on', 'settled', true, waiting],
  ['a call that goes on', 'always', false, waiting],
  ['a call that is done', 'never', true, done],
  ['a call that is done', 'settled', false, done],
  ['a call that is done', 'always', false, done],
  ['one that had no connection', 'never', false, ended({ error: new ConnectionFailedError('down') })],
  ['one of a newer page', 'never', false, ended({ error: new PageOutdatedError('report') })],
  ['one that was not configured', 'never', false, ended({ error: new TaskConfigurationError('no url') })],
  ['one that was refused', 'never', false, ended({ error: new ToolCallRejectedError('no', { code: 1 }) })],
  ['one out of reach', 'never', false, ended({ error: new TaskUnreachableError('down') })],
  ['one that was lost', 'never', true, ended({ error: new TaskExpiredError('ttl') }, TASK)],
  ['one whose task broke the protocol', 'never', false, ended({ error: broken }, TASK)],
  ['one whose response broke the protocol', 'never', true, ended({ error: broken })],
] as const)('%s is reused with repeat "%s": %s', (_what, repeat, isReused, state) => {
  expect(isReusable(state, repeat)).toBe(isReused)
})
