import { expect, it } from 'vitest'
import { isPhase, isSettled, type ToolCallState, titleOf } from './toolCallState.js'

it.each(['calling', 'working', 'input_required', 'ended', 'completed', 'failed', 'cancelled'])(
  'takes %s for a phase',
  (phase) => expect(isPhase(phase)).toBe(true),
)

it.each([{ value: ['working'] }, { value: 'toString' }, { value: 'done' }, { value: undefined }, { value: 7 }])(
  'takes $value for none',
  ({ value }) => expect(isPhase(value)).toBe(false),
)

it.each([
  ['calling', false],
  ['working', false],
  ['input_required', false],
  ['ended', false],
  ['completed', true],
  ['failed', true],
  ['cancelled', true],
])('of a call that is %s: settled is %s', (phase, isOver) => {
  expect(isSettled({ phase } as ToolCallState)).toBe(isOver)
})

it.each([
  [{ name: 'report' }, 'report'],
  [{ name: 'report', meta: {} }, 'report'],
  [{ name: 'report', meta: { title: 'Report of Q3' } }, 'Report of Q3'],
  [{ name: 'report', meta: { title: '' } }, 'report'],
  [{ name: 'report', meta: { title: 5 } }, 'report'],
])('is called by the title that the app has noted, or by its tool: %j', (call, title) => {
  expect(titleOf(call)).toBe(title)
})
