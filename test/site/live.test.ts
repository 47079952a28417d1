import type { TaskClientObservation, ToolCallState } from 'taskwire'
import { describe, expect, test, vi } from 'vitest'
import { createHeroRun } from '../../docs/live/host/heroRun.js'
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

describe('a run of the picture of the landing page', () => {
  /** The calls of the frame. They have one key, so there is the newest alone. */
  const frame = (startedAt: number, more: Partial<ToolCallState> = {}) => ({
    report: { callId: 'report', startedAt, ...more } as ToolCallState,
  })
  const at = (progress: number) => ({ progress: { progress } }) as Partial<ToolCallState>

  function play() {
    const stage = { show: vi.fn(), reload: vi.fn(), cancel: vi.fn() }
    return { ...stage, run: createHeroRun(stage), step: () => stage.show.mock.lastCall?.[0] }
  }

  test('reloads the frame, shows a second tab, and is done when the call has ended', () => {
    const { run, step, reload, cancel } = play()
    run.begin(frame(1, { endedAt: 2 }))
    run.proceed(frame(1, { endedAt: 2 }))
    expect(step()).toBe('started')
    run.proceed(frame(5, at(1)))
    expect([step(), reload.mock.calls.length]).toEqual(['reloaded', 1])
    run.proceed({})
    run.proceed(frame(5, at(2)))
    expect(step()).toBe('second-tab')
    run.proceed(frame(5, { endedAt: 9 }))
    expect([step(), reload.mock.calls.length, cancel.mock.calls.length]).toEqual(['done', 1, 0])
  })

  test('takes a call of a visit before that is at work', () => {
    const { run, step } = play()
    run.begin(frame(1, at(1)))
    run.proceed(frame(1, at(1)))
    expect(step()).toBe('reloaded')
  })

  test.each([
    ['started', 0],
    ['reloaded', 1],
  ])(
    'is over when its call is cancelled in the frame, after %s: the next call of the frame is let alone',
    (_, progress) => {
      const { run, step, reload, cancel } = play()
      run.begin({})
      run.proceed(frame(5, at(progress)))
      reload.mockClear()
      run.proceed(frame(5, { endedAt: 6 }))
      expect(step()).toBe('idle')
      run.proceed(frame(7, at(1)))
      expect([step(), reload.mock.calls.length, cancel.mock.calls.length]).toEqual(['idle', 0, 0])
    },
  )

  test('that is stopped cancels its call, and none after it', () => {
    const { run, step, cancel } = play()
    run.begin({})
    run.proceed(frame(5, at(0)))
    run.stop(frame(5, at(0)))
    expect([step(), cancel.mock.calls]).toEqual(['idle', [['report']]])
    run.proceed(frame(5, { endedAt: 6 }))
    run.proceed(frame(7))
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('that is stopped during the reload cancels its call once the page is there', () => {
    const { run, cancel } = play()
    run.begin({})
    run.proceed(frame(5, at(1)))
    run.stop({})
    run.proceed({})
    expect(cancel).not.toHaveBeenCalled()
    run.proceed(frame(5, at(1)))
    expect(cancel.mock.calls).toEqual([['report']])
  })

  test.each([
    ['has ended', frame(5, { endedAt: 6 })],
    ['is another one', frame(7)],
  ])('that is stopped when the call of the frame %s cancels none, now or later', (_, calls) => {
    const { run, cancel } = play()
    run.begin({})
    run.proceed(frame(5, at(1)))
    run.stop(calls)
    run.proceed(calls)
    run.proceed(frame(8))
    expect(cancel).not.toHaveBeenCalled()
  })
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
