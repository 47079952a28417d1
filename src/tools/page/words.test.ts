import { expect, it } from 'vitest'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import { waitOf } from './words.js'

it.each([
  ['calling', 'The network is gone.'],
  ['input_required', 'The network is gone.'],
  ['working', 'The network is gone. The tool keeps running.'],
] as const)('a call that is %s without a network says "%s"', (phase, said) => {
  expect(waitOf({ phase, network: 'offline' } as ToolCallState)).toBe(said)
})
