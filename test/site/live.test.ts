import type { TaskClientObservation } from 'taskwire'
import { describe, expect, test, vi } from 'vitest'
import { wordsOfCalls } from '../../docs/live/host/heroSteps.js'
import { mountUntil } from '../../docs/live/host/mountUntil.js'
import { addToWire, EMPTY_WIRE, sentOf, type Wire } from '../../docs/live/host/wireRows.js'

const PAGE = { tab: 1, load: 1 }

function sent(exchange: number, method: string): TaskClientObservation {
  return { type: 'wire-sent', at: 0, exchange, method } as TaskClientObservation
}

/** A call, and so many polls of its task. */
function callWithPolls(polls: number): Wire {
  const methods = ['tools/call', ...Array.from({ length: polls }, () => 'tasks/get')]
  return methods.reduce((wire, method, exchange) => addToWire(wire, sent(exchange, method), PAGE), EMPTY_WIRE)
}

describe('the wire of a live example', () => {
  test('shows the newest messages and counts all', () => {
    const wire = callWithPolls(150)
    expect(wire.rows).toHaveLength(100)
    expect([sentOf(wire, 'tools/call'), sentOf(wire, 'tasks/get'), sentOf(wire, 'ping')]).toEqual([1, 150, 0])
  })

  test('tells messages of the server apart that come in the same millisecond', () => {
    const event = { type: 'wire-event', at: 5, exchange: 7, method: 'notifications/progress' } as TaskClientObservation
    const { rows } = addToWire(addToWire(callWithPolls(150), event, PAGE), event, PAGE)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(100)
  })
})

test.each([
  [0, 'No tools/call was sent: the task is that of a visit before.'],
  [1, 'tools/call was sent once.'],
  [2, 'tools/call was sent 2 times.'],
])('the picture of the landing page says what was sent: %i', (calls, words) => {
  expect(wordsOfCalls(calls)).toBe(words)
})

describe('the devtools of a live example', () => {
  test('are unmounted when they are not wanted any more', async () => {
    const clean: (() => void)[] = []
    const panel = { unmount: vi.fn() }
    expect(
      await mountUntil(
        (each) => clean.push(each),
        async () => panel,
      ),
    ).toBe(panel)
    expect(panel.unmount).not.toHaveBeenCalled()
    for (const each of clean) each()
    expect(panel.unmount).toHaveBeenCalledOnce()
  })

  test('are unmounted when they are ready after that', async () => {
    const clean: (() => void)[] = []
    const panel = { unmount: vi.fn() }
    const mounting = mountUntil(
      (each) => clean.push(each),
      async () => panel,
    )
    for (const each of clean) each()
    expect(await mounting).toBeUndefined()
    expect(panel.unmount).toHaveBeenCalledOnce()
  })
})
