import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import type { ToolCallState } from '../record/toolCallState.js'
import { createStore } from './createStore.js'

const FRAME_MS = 16
const NOTHING = {}

const call = (callId: string, changes: Partial<ToolCallState> = {}): ToolCallState =>
  ({
    callId,
    name: 'report',
    phase: 'working',
    inputRequests: NOTHING,
    inputResponses: NOTHING,
    isCancelling: false,
    network: 'ok',
    failureCount: 0,
    startedAt: 0,
    ...changes,
  }) as ToolCallState

function begin() {
  const page = createSimulatedEnvironment()
  const onListenerError = vi.fn()
  const store = createStore({ environment: page.environment, frameMs: FRAME_MS, onListenerError })
  const { api } = store
  /** Watches one call, or the whole store. */
  const watch = (callId?: string) => {
    const listener = vi.fn()
    const unsubscribe = callId === undefined ? api.subscribe(listener) : store.subscribeCall(callId, listener)
    return { listener, unsubscribe }
  }
  return { page, store, api, onListenerError, watch }
}

it('a function that is subscribed to a call twice is called until each subscription has ended', () => {
  const { store } = begin()
  const listener = vi.fn()
  const [first, second] = [store.subscribeCall('a', listener), store.subscribeCall('a', listener)]
  first()
  store.setCall(call('a'))
  expect(listener).toHaveBeenCalledOnce()
  second()
  store.setCall(call('a'))
  expect(listener).toHaveBeenCalledOnce()
})

describe('the snapshot of the store', () => {
  it('has every call by its id, and keeps the references of those that have not changed', () => {
    const { store, api } = begin()
    const [a, b] = [call('a'), call('b')]
    store.setCall(a)
    store.setCall(b)
    const before = api.getState()
    expect(before.calls).toEqual({ a, b })
    const changed = call('b', { failureCount: 1 })
    store.setCall(changed)
    const after = api.getState()
    expect(after.calls['a']).toBe(a)
    expect(after.calls['b']).toBe(changed)
    expect(after.connection).toBe(before.connection)
    expect(before.calls['b']).toBe(b)
    store.removeCall('a')
    expect(Object.keys(api.getState().calls)).toEqual(['b'])
  })

  it('is the same one until something changes', () => {
    const { store, api } = begin()
    const a = call('a')
    store.setCall(a)
    const before = api.getState()
    store.setCall(a)
    store.removeCall('b')
    expect(api.getState()).toBe(before)
  })

  it('is the first one until there is a call', () => {
    const { api } = begin()
    expect(api.getState()).toBe(api.getInitialState())
  })

  it('is not made for the connection alone, where nobody listens', async () => {
    const fromEntries = vi.spyOn(Object, 'fromEntries')
    const { page, store } = begin()
    store.setCall(call('a'))
    store.setConnection({ status: 'connecting' })
    await page.settle()
    expect(fromEntries).not.toHaveBeenCalled()
  })

  it('is made only when somebody reads it, and once for all changes before that', () => {
    const fromEntries = vi.spyOn(Object, 'fromEntries')
    const { store, api } = begin()
    for (let i = 0; i < 100; i++) store.setCall(call(`call ${i}`))
    expect(fromEntries).not.toHaveBeenCalled()
    api.getState()
    api.getState()
    expect(fromEntries).toHaveBeenCalledOnce()
  })

  it('is not made for a listener of one call', () => {
    const fromEntries = vi.spyOn(Object, 'fromEntries')
    const { store, watch } = begin()
    const { listener } = watch('a')
    store.setCall(call('a'))
    expect(listener).toHaveBeenCalledOnce()
    expect(store.getCall('a')).toMatchObject({ callId: 'a' })
    expect(fromEntries).not.toHaveBeenCalled()
  })

  it('has what the app sets beside the calls of this turn', () => {
    const { store, api } = begin()
    store.setCall(call('a'))
    api.setState({ connection: { status: 'connecting' } })
    expect(api.getState()).toMatchObject({ connection: { status: 'connecting' }, calls: { a: {} } })
  })
})

describe('a listener of one call', () => {
  it('is called for that call alone, at once', () => {
    const { store, watch } = begin()
    const [a, b] = [watch('a'), watch('b')]
    store.setCall(call('a'))
    store.setCall(call('a', { phase: 'input_required' }))
    expect(a.listener).toHaveBeenCalledTimes(2)
    expect(b.listener).not.toHaveBeenCalled()
    store.removeCall('a')
    expect(a.listener).toHaveBeenCalledTimes(3)
  })

  it('is not called any more once it has unsubscribed, in the middle of a frame either', async () => {
    const { page, store, watch } = begin()
    const a = watch('a')
    store.setCall(call('a'))
    store.setCall(call('a', { failureCount: 1 }))
    a.unsubscribe()
    a.unsubscribe()
    await page.advance(100)
    store.setCall(call('a', { phase: 'input_required' }))
    expect(a.listener).toHaveBeenCalledOnce()
    expect(page.pendingTimers()).toBe(0)
  })

  it('goes on where another one of the same call unsubscribes', () => {
    const { store, watch } = begin()
    const [first, second] = [watch('a'), watch('a')]
    first.unsubscribe()
    store.setCall(call('a'))
    expect(second.listener).toHaveBeenCalledOnce()
  })

  it('that throws starves no other, and is reported', () => {
    const { store, watch, onListenerError } = begin()
    const broken = new Error('broken')
    store.subscribeCall('a', () => {
      throw broken
    })
    const { listener } = watch('a')
    store.setCall(call('a'))
    expect(listener).toHaveBeenCalledOnce()
    expect(onListenerError.mock.calls).toEqual([[broken]])
  })
})

describe('a call of the store', () => {
  it('is observed while somebody listens to it', () => {
    const { store, watch } = begin()
    const [first, second] = [watch('a'), watch('a')]
    first.unsubscribe()
    expect(store.isObserved('a')).toBe(true)
    second.unsubscribe()
    expect(store.isObserved('a')).toBe(false)
  })

  it('that nobody listens to any more has no timer', () => {
    const { page, store, watch } = begin()
    const { unsubscribe } = watch('a')
    store.setCall(call('a'))
    store.setCall(call('a', { failureCount: 1 }))
    expect(page.pendingTimers()).toBe(1)
    unsubscribe()
    expect(page.pendingTimers()).toBe(0)
  })

  it('keeps the listener that has come since another one unsubscribed, also where that does so twice', () => {
    const { store, watch } = begin()
    const gone = watch('a')
    gone.unsubscribe()
    const { listener } = watch('a')
    gone.unsubscribe()
    store.setCall(call('a'))
    expect(store.isObserved('a')).toBe(true)
    expect(listener).toHaveBeenCalledOnce()
  })
})

describe('mere progress of a call', () => {
  it('is called once a frame, with the newest state at its end', async () => {
    const { page, store, watch } = begin()
    const { listener } = watch('a')
    store.setCall(call('a'))
    for (let failureCount = 1; failureCount <= 5; failureCount++) store.setCall(call('a', { failureCount }))
    expect(listener).toHaveBeenCalledOnce()
    await page.advance(FRAME_MS - 1)
    expect(listener).toHaveBeenCalledOnce()
    await page.advance(1)
    expect(listener).toHaveBeenCalledTimes(2)
    expect(store.getCall('a')?.failureCount).toBe(5)
    await page.advance(1000)
    expect(listener).toHaveBeenCalledTimes(2)
  })

  it('is called at once where the frame before is over', async () => {
    const { page, store, watch } = begin()
    const { listener } = watch('a')
    store.setCall(call('a'))
    await page.advance(FRAME_MS)
    store.setCall(call('a', { failureCount: 1 }))
    expect(listener).toHaveBeenCalledTimes(2)
    expect(page.pendingTimers()).toBe(0)
  })

  it.each([
    ['its phase', { phase: 'input_required' }],
    ['its input requests', { inputRequests: {} }],
    ['a response', { inputResponses: {} }],
    ['its cancellation', { cancelStatus: 'sending' }],
    ['the network', { network: 'offline' }],
  ] as const)('does not hold up a change of %s, and is told with it', async (_, changes) => {
    const { page, store, watch } = begin()
    const { listener } = watch('a')
    store.setCall(call('a'))
    store.setCall(call('a', { failureCount: 1 }))
    store.setCall(call('a', { failureCount: 1, ...changes }))
    expect(listener).toHaveBeenCalledTimes(2)
    await page.advance(100)
    expect(listener).toHaveBeenCalledTimes(2)
    expect(page.pendingTimers()).toBe(0)
  })

  it('is called a frame later at the latest where the clock is set back', async () => {
    const { page, store, watch } = begin()
    const { listener } = watch('a')
    store.setCall(call('a'))
    page.setClock(-60 * 60_000)
    store.setCall(call('a', { failureCount: 1 }))
    await page.advance(FRAME_MS)
    expect(listener).toHaveBeenCalledTimes(2)
  })
})

describe('a listener of the whole store', () => {
  it('is called once for all changes of a turn, with the states before and after', async () => {
    const { page, store, watch } = begin()
    const { listener } = watch()
    const [a, b] = [call('a'), call('b')]
    store.setCall(a)
    store.setCall(b)
    store.setConnection({ status: 'connecting' })
    expect(listener).not.toHaveBeenCalled()
    await page.settle()
    expect(listener.mock.calls).toEqual([
      [
        { connection: { status: 'connecting' }, calls: { a, b } },
        { connection: { status: 'idle' }, calls: {} },
      ],
    ])
  })

  it('is not called where nothing has changed in the end', async () => {
    const { page, store, watch } = begin()
    const { listener } = watch()
    store.removeCall('a')
    await page.settle()
    expect(listener).not.toHaveBeenCalled()
  })

  it('gets as the state before what the listeners have seen, also where the state was read in between', async () => {
    const { page, store, api, watch } = begin()
    const { listener } = watch()
    store.setCall(call('a'))
    api.getState()
    store.setCall(call('b'))
    await page.settle()
    expect(listener.mock.calls).toEqual([
      [expect.objectContaining({ calls: { a: call('a'), b: call('b') } }), expect.objectContaining({ calls: {} })],
    ])
  })

  it('is called in each turn with a change, also of what the app sets, from the state that it came in', async () => {
    const { page, store, api, watch } = begin()
    const [a, b] = [call('a'), call('b')]
    store.setCall(a)
    const { listener } = watch()
    store.setCall(b)
    await page.settle()
    api.setState({ connection: { status: 'connecting' } })
    await page.settle()
    const connection = { status: 'idle' }
    expect(listener.mock.calls).toEqual([
      [
        { connection, calls: { a, b } },
        { connection, calls: { a } },
      ],
      [
        { connection: { status: 'connecting' }, calls: { a, b } },
        { connection, calls: { a, b } },
      ],
    ])
  })

  it('is called for a change of the turn in which another one comes', async () => {
    const { page, store, watch } = begin()
    const { listener } = watch()
    store.setCall(call('a'))
    watch()
    await page.settle()
    expect(listener).toHaveBeenCalledOnce()
  })

  it('that comes back in the turn of a change is not called for it', async () => {
    const { page, store, watch } = begin()
    const { unsubscribe } = watch()
    store.setCall(call('a'))
    unsubscribe()
    const { listener } = watch()
    await page.settle()
    expect(listener).not.toHaveBeenCalled()
  })

  it('leaves it to the app to change the newest state', () => {
    const { store, api } = begin()
    const a = call('a')
    const change = vi.fn((state: ReturnType<typeof api.getState>) => state)
    store.setCall(a)
    api.setState(change)
    expect(change.mock.calls).toEqual([[{ connection: { status: 'idle' }, calls: { a } }]])
  })

  it('that has come after a change is not called for it', async () => {
    const { page, store, watch } = begin()
    store.setCall(call('a'))
    const { listener } = watch()
    await page.settle()
    expect(listener).not.toHaveBeenCalled()
  })

  it('that throws starves no other, and is reported', async () => {
    const { page, store, api, watch, onListenerError } = begin()
    const broken = new Error('broken')
    api.subscribe(() => {
      throw broken
    })
    const { listener, unsubscribe } = watch()
    store.setConnection({ status: 'connecting' })
    await page.settle()
    expect(listener).toHaveBeenCalledOnce()
    expect(onListenerError.mock.calls).toEqual([[broken]])
    unsubscribe()
    api.setState({ connection: { status: 'idle' } })
    await page.settle()
    expect(listener).toHaveBeenCalledOnce()
  })
})
