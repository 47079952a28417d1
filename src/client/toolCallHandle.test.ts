import { describe, expect, it, vi } from 'vitest'
import { INTENT, RESULT, recorded } from '../../test/support/stubbedCall.js'
import { callOf, settledOf } from '../../test/support/stubbedPageCalls.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import type { Call } from '../call/call.js'
import { type CallEntry, createEntry } from '../call/callEntry.js'
import type { CallRuntime } from '../call/callRuntime.js'
import { toolCallHandle } from './toolCallHandle.js'

function begin(call: Call = callOf(recorded()), options: { observes?: boolean; signal?: AbortSignal } = {}) {
  const log: string[] = []
  const entry: CallEntry = createEntry(call)
  const runtime = {
    observe: () => {
      log.push('observe')
      return () => void log.push('unobserve')
    },
  } as Partial<CallRuntime> as CallRuntime
  const listeners: (() => void)[] = []
  const store = {
    subscribeCall: (callId: string, listener: () => void) => {
      listeners.push(listener)
      return () => void log.push(`unsubscribe ${callId}`)
    },
  }
  const { observes = true, signal } = options
  return { log, entry, listeners, handle: toolCallHandle({ entry, runtime, store, observes, signal }) }
}

const { callId, tool: name, startedAt } = INTENT
const identity = { callId, name, startedAt }
const tracked = (stage: 'following' | 'resting', changes: object): Call => ({
  ...identity,
  ...TRACKED,
  ...changes,
  stage,
})

describe('the handle of a call', () => {
  it.each<[string, Call, boolean, number | undefined]>([
    ['that follows its task', tracked('following', { dueAt: 5 }), false, 5],
    ['that was left', tracked('following', { dueAt: 5 }), true, undefined],
    ['that rests', tracked('resting', { dueAt: 5 }), false, undefined],
    ['that waits', callOf(INTENT), false, undefined],
    ['that is over', settledOf(recorded()), false, undefined],
  ])('knows when the next poll is due of one %s', (_what, call, isLeft, nextPollAt) => {
    const { handle, entry } = begin(call)
    if (isLeft) entry.left = new Error('left')
    expect(handle.nextPollAt).toBe(nextPollAt)
  })

  it.each<[string, Call, number | undefined]>([
    ['a snapshot', tracked('following', { knownAt: 5 }), 5],
    ['a later snapshot', tracked('resting', { knownAt: 9, progressAt: 7 }), 9],
    ['later progress', tracked('following', { knownAt: 5, progressAt: 7 }), 7],
    ['progress before there is a task', { ...identity, stage: 'waiting', for: 'lock', progressAt: 3 }, 3],
    ['nothing yet', callOf(INTENT), undefined],
    ['the end', { ...identity, stage: 'settled', outcome: { result: RESULT }, endedAt: 11 }, 11],
  ])('knows when the server was last heard: %s', (_what, call, lastHeardAt) => {
    expect(begin(call).handle.lastHeardAt).toBe(lastHeardAt)
  })

  it('calls a subscriber for each new state, once', () => {
    const { handle, entry, listeners, log } = begin()
    const listener = vi.fn()
    const unsubscribe = handle.subscribe(listener)
    listeners[0]?.()
    expect(listener.mock.calls).toEqual([])
    const next = { ...entry.shown }
    entry.shown = next
    listeners[0]?.()
    listeners[0]?.()
    expect(listener.mock.calls).toEqual([[next]])
    unsubscribe()
    expect(log).toEqual(['observe', 'unsubscribe c1'])
  })
})

describe('the result of a handle', () => {
  const ends: [string, (entry: CallEntry) => void][] = [
    ['has come', (entry) => entry.resolve(RESULT)],
    ['has failed', (entry) => entry.reject(new Error('down'))],
  ]

  it.each(ends)('is observed until it %s', async (_what, end) => {
    const { handle, entry, log } = begin()
    expect(log).toEqual(['observe'])
    end(entry)
    await handle.result.catch(() => {})
    expect(log).toEqual(['observe', 'unobserve'])
  })

  it('is not observed once it is detached', async () => {
    const { handle, log } = begin()
    handle.detach()
    await expect(handle.result).rejects.toThrow('Detached from the call; its task goes on.')
    expect(log).toEqual(['observe', 'unobserve'])
  })

  it.each(ends)('needs its signal no more once it %s, observed or not', async (_what, end) => {
    for (const observes of [true, false]) {
      const { signal } = new AbortController()
      const remove = vi.spyOn(signal, 'removeEventListener')
      const { handle, entry, log } = begin(undefined, { observes, signal })
      end(entry)
      await handle.result.catch(() => {})
      expect(remove).toHaveBeenCalledTimes(1)
      expect(log).toEqual(observes ? ['observe', 'unobserve'] : [])
    }
  })
})
