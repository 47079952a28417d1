import { expect, it, vi } from 'vitest'
import type { Locks } from '../environment/environment.js'
import { locksWithFallback } from './fallbackLocks.js'

const refused = new Error('SecurityError')
const refusing: Locks = { request: () => Promise.reject(refused) }
const granting: Locks = { request: (name, _options, hold) => hold({ name }) }

it('locks that the browser grants are its own', async () => {
  const onRefused = vi.fn()
  const hold = vi.fn(async () => 'done')
  const locks = locksWithFallback(granting, onRefused)
  await expect(locks.request('a', {}, hold)).resolves.toBe('done')
  expect(hold).toHaveBeenCalledExactlyOnceWith({ name: 'a' })
  expect(onRefused).not.toHaveBeenCalled()
})

it('a lock that the browser refuses is granted all the same, and the refusal is reported once', async () => {
  const onRefused = vi.fn()
  const hold = vi.fn(async () => 'done')
  const locks = locksWithFallback(refusing, onRefused)
  await expect(locks.request('a', {}, hold)).resolves.toBe('done')
  expect(onRefused).toHaveBeenCalledOnce()
  await expect(locks.request('b', { steal: true }, hold)).resolves.toBe('done')
  expect(hold).toHaveBeenCalledTimes(2)
  expect(onRefused.mock.calls).toEqual([[refused]])
})

it('a request that is given up while it waits rejects, and its work does not run', async () => {
  const onRefused = vi.fn()
  const hold = vi.fn(async () => {})
  const signal = AbortSignal.abort(new Error('enough'))
  const aborting: Locks = { request: (_name, options) => Promise.reject(options.signal?.reason) }
  await expect(locksWithFallback(aborting, onRefused).request('a', { signal }, hold)).rejects.toThrow('enough')
  expect(hold).not.toHaveBeenCalled()
  expect(onRefused).not.toHaveBeenCalled()
})

it('work that fails under its lock rejects, and does not run twice', async () => {
  const onRefused = vi.fn()
  const hold = vi.fn(() => Promise.reject(new Error('broken')))
  await expect(locksWithFallback(granting, onRefused).request('a', {}, hold)).rejects.toThrow('broken')
  expect(hold).toHaveBeenCalledOnce()
  expect(onRefused).not.toHaveBeenCalled()
})

it('a lock that is stolen rejects, and its work does not run twice', async () => {
  const stolen = new Error('stolen')
  const stealing: Locks = {
    request: (_name, _options, hold) => {
      void hold({})
      return Promise.reject(stolen)
    },
  }
  const hold = vi.fn(() => new Promise<void>(() => {}))
  await expect(locksWithFallback(stealing, () => {}).request('a', {}, hold)).rejects.toBe(stolen)
  expect(hold).toHaveBeenCalledOnce()
})
