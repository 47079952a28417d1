import { describe, expect, it, vi } from 'vitest'
import { recorded } from '../../test/support/stubbedCall.js'
import { lockCall } from './lockCall.js'

/** A lock that another tab has until the test grants it. */
function begin(signal = new AbortController().signal) {
  const unlock = vi.fn()
  let grant = () => {}
  let waiting: AbortSignal | undefined
  const pending = lockCall(
    {
      lock: (_callId, signal) => {
        waiting = signal
        return new Promise((resolve, reject) => {
          grant = () => resolve(unlock)
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      },
    },
    'c1',
    signal,
  )
  return { pending, unlock, grant: () => grant(), waiting: () => waiting }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the lock of a call', () => {
  it('is granted to the tab that is to make the call', async () => {
    const { pending, unlock, grant } = begin()
    grant()
    const locked = await pending.lock
    expect(unlock).not.toHaveBeenCalled()
    if ('unlock' in locked) locked.unlock()
    expect(unlock).toHaveBeenCalledOnce()
  })

  it.each([
    ['an outcome', { outcome: { result: { content: [] } } }],
    ['a task', { record: recorded() }],
  ])('is not waited for any more once another tab has posted %s', async (_, end) => {
    const { pending, waiting } = begin()
    pending.settle(end)
    await expect(pending.lock).resolves.toBe(end)
    expect(waiting()?.aborted).toBe(true)
  })

  it('is let go of where it is granted in the moment in which the outcome arrives', async () => {
    const { pending, unlock, grant } = begin()
    const end = { outcome: { result: { content: [] } } }
    grant()
    pending.settle(end)
    await expect(pending.lock).resolves.toBe(end)
    await settle()
    expect(unlock).toHaveBeenCalledOnce()
  })

  it('is waited for until the signal aborts, with whose reason it rejects', async () => {
    const abort = new AbortController()
    const { pending } = begin(abort.signal)
    const reason = new Error('cancelled')
    abort.abort(reason)
    await expect(pending.lock).rejects.toBe(reason)
  })

  it('leaves no listener on a signal that lives longer', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const { pending, grant } = begin(signal)
    grant()
    await pending.lock
    await settle()
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length)
  })
})
