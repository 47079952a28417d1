import { expect, it } from 'vitest'
import { isPhase } from './toolCallState.js'

it.each(['calling', 'working', 'input_required', 'ended', 'completed', 'failed', 'cancelled'])(
  'takes %s for a phase',
  (phase) => expect(isPhase(phase)).toBe(true),
)

it.each([{ value: ['working'] }, { value: 'toString' }, { value: 'done' }, { value: undefined }, { value: 7 }])(
  'takes $value for none',
  ({ value }) => expect(isPhase(value)).toBe(false),
)
