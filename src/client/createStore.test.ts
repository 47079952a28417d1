import { expect, it, vi } from 'vitest'
import { createSimulatedEnvironment } from '../testing/simulatedEnvironment.js'
import { createStore } from './createStore.js'

it('a listener that throws starves no other, and is reported', async () => {
  const onListenerError = vi.fn()
  const store = createStore({ environment: createSimulatedEnvironment().environment, frameMs: 16, onListenerError })
  const broken = new Error('broken')
  store.api.subscribe(() => {
    throw broken
  })
  const listener = vi.fn()
  const unsubscribe = store.api.subscribe(listener)
  store.setConnection({ status: 'connecting' })
  await Promise.resolve()
  expect(listener).toHaveBeenCalledOnce()
  expect(listener.mock.calls[0]).toMatchObject([
    { connection: { status: 'connecting' } },
    { connection: { status: 'idle' } },
  ])
  expect(onListenerError.mock.calls).toEqual([[broken]])
  unsubscribe()
  store.api.setState({ connection: { status: 'idle' } })
  await Promise.resolve()
  expect(listener).toHaveBeenCalledOnce()
})
