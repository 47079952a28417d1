import { expect, it } from 'vitest'
import { firstOf } from './firstOf.js'

const pending = new Promise<string>(() => {})

it('resolves to what resolves first, on either side', async () => {
  expect(await firstOf(Promise.resolve('one'), pending)).toBe('one')
  expect(await firstOf(pending, Promise.resolve('other'))).toBe('other')
  expect(await firstOf(Promise.resolve('one'), Promise.reject(new Error('late')))).toBe('one')
})

it('rejects with what rejects first', async () => {
  await expect(firstOf(Promise.reject(new Error('no')), pending)).rejects.toThrow('no')
  await expect(firstOf(pending, Promise.reject(new Error('no')))).rejects.toThrow('no')
})
