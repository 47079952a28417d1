import { describe, expect, it } from 'vitest'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import type { WebStorage } from '../environment/environment.js'
import { memoryStorage } from './memoryStorage.js'
import { pageStorage } from './pageStorage.js'

describe('pageStorage', () => {
  it.each(['local', 'session'] as const)('keeps what it is given in the %s storage', (kind) => {
    const { environment } = createSimulatedEnvironment()
    const storage = pageStorage(kind, environment)
    storage.setItem('a', '1')
    storage.setItem('b', '2')
    storage.setItem('a', '3')
    storage.removeItem('b')
    expect(storage.getItem('a')).toBe('3')
    expect(storage.getItem('b') ?? undefined).toBeUndefined()
    expect(storage.keys()).toEqual(['a'])
    expect(environment.storage(kind)?.getItem('a')).toBe('3')
    expect(environment.storage(kind === 'local' ? 'session' : 'local')?.length).toBe(0)
  })

  it('writes before it returns', () => {
    const { environment } = createSimulatedEnvironment()
    pageStorage('local', environment).setItem('a', '1')
    expect(environment.storage('local')?.getItem('a')).toBe('1')
  })

  it('does nothing where the page has none', () => {
    const storage = pageStorage('local', { storage: () => undefined })
    storage.setItem('a', '1')
    storage.removeItem('a')
    expect(storage.getItem('a')).toBeUndefined()
    expect(storage.keys()).toEqual([])
  })

  it('has no key where another page has removed one meanwhile', () => {
    const { environment } = createSimulatedEnvironment()
    const local = environment.storage('local') as WebStorage
    const shrinking = { ...local, length: 2, key: (index: number) => (index === 0 ? 'a' : null) }
    expect(pageStorage('local', { storage: () => shrinking }).keys()).toEqual(['a'])
  })

  it('that must not be touched throws on use, not when it is made', () => {
    const storage = pageStorage('local', {
      storage: () => {
        throw new Error('insecure')
      },
    })
    for (const use of [
      () => storage.getItem('a'),
      () => storage.setItem('a', '1'),
      () => storage.removeItem('a'),
      storage.keys,
    ])
      expect(use).toThrow('insecure')
  })

  it('is found again when access is allowed later', () => {
    const { environment } = createSimulatedEnvironment()
    let isAllowed = false
    const storage = pageStorage('local', { storage: (kind) => (isAllowed ? environment.storage(kind) : undefined) })
    storage.setItem('a', '1')
    isAllowed = true
    storage.setItem('a', '2')
    expect(storage.keys()).toEqual(['a'])
  })
})

describe('memoryStorage', () => {
  it('keeps what it is given, for itself', () => {
    const storage = memoryStorage()
    storage.setItem('a', '1')
    storage.setItem('__proto__', '2')
    expect(storage.getItem('a')).toBe('1')
    expect(storage.getItem('__proto__')).toBe('2')
    expect(storage.getItem('toString')).toBeUndefined()
    expect(storage.keys()).toEqual(['a', '__proto__'])
    storage.removeItem('a')
    expect(storage.keys()).toEqual(['__proto__'])
    expect(memoryStorage().keys()).toEqual([])
  })
})
