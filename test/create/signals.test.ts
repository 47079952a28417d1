import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { exitOnSignals } from '../../create/src/signals.js'

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('exits after %s with %d', (signal, exitCode) => {
  const exit = vi.fn<() => never>()
  const process = Object.assign(new EventEmitter(), { exit })
  exitOnSignals(process)
  process.emit(signal)
  expect(exit.mock.calls).toEqual([[exitCode]])
})
