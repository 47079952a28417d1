import { expect, it } from 'vitest'
import { abortError, onAbort } from './abort.js'

it('an error of what nobody waits for any more is named as that of fetch', () => {
  const error = abortError('The client was closed.')
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'AbortError', message: 'The client was closed.' })
})

it('a listener is called once when the signal aborts, at once where it has, and not where it has stopped listening', () => {
  const called: string[] = []
  const controller = new AbortController()
  onAbort(controller.signal, () => called.push('listening'))
  onAbort(controller.signal, () => called.push('stopped'))()
  expect(called).toEqual([])
  controller.abort()
  expect(called).toEqual(['listening'])
  onAbort(controller.signal, () => called.push('late'))()
  expect(called).toEqual(['listening', 'late'])
})
