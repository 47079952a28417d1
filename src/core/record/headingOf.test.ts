import { expect, it } from 'vitest'
import { headingOf } from './headingOf.js'
import type { SettledToolCall } from './toolCallState.js'

const call = (members: object) => ({ name: 'report', ...members }) as unknown as SettledToolCall

it.each([
  [{ phase: 'completed', result: { content: [] } }, 'report is done'],
  [{ phase: 'completed', result: { content: [], isError: true } }, 'report has failed'],
  [{ phase: 'failed', error: new Error('no') }, 'report has failed'],
  [{ phase: 'cancelled', error: new Error('no') }, 'report was cancelled'],
  [{ phase: 'completed', result: { content: [] }, meta: { title: 'Report of Q3' } }, 'Report of Q3 is done'],
  [{ phase: 'completed', result: { content: [] }, name: '' }, 'A task is done'],
])('says of %j: %s', (members, heading) => {
  expect(headingOf(call(members))).toBe(heading)
})
