import { expect, it } from 'vitest'
import { createKeyedQueue, mapMaybePromise } from './keyedQueue.js'

function deferred() {
  let resolve: () => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone
    reject = onError
  })
  return { promise, resolve, reject }
}

it('runs an operation at once where none is under way, and returns what it returns', async () => {
  const enqueue = createKeyedQueue()
  expect(enqueue('a', () => 1)).toBe(1)
  expect(enqueue('a', () => undefined)).toBeUndefined()
  const { promise, resolve } = deferred()
  expect(enqueue('a', () => promise)).toBe(promise)
  resolve()
  await promise
})

it('runs the operations on one key one after the other, and those on others meanwhile', async () => {
  const enqueue = createKeyedQueue()
  const log: string[] = []
  const first = deferred()
  const one = enqueue('a', () => first.promise.then(() => void log.push('first')))
  const two = enqueue('a', () => void log.push('second'))
  const three = enqueue('a', () => void log.push('third'))
  enqueue('b', () => void log.push('other'))
  expect(log).toEqual(['other'])
  first.resolve()
  await Promise.all([one, two, three])
  expect(log).toEqual(['other', 'first', 'second', 'third'])
})

it('goes on after an operation that fails, which rejects', async () => {
  const enqueue = createKeyedQueue()
  const first = deferred()
  const one = enqueue('a', () => first.promise)
  const two = enqueue('a', () => 'second')
  first.reject(new Error('no'))
  await expect(one).rejects.toThrow('no')
  await expect(two).resolves.toBe('second')
})

it('runs an operation at once again when the last one is over', async () => {
  const enqueue = createKeyedQueue()
  const first = deferred()
  const one = enqueue('a', () => first.promise)
  const two = enqueue('a', () => Promise.resolve())
  first.resolve()
  await one
  await two
  await Promise.resolve()
    .then(() => {})
    .then(() => {})
  expect(enqueue('a', () => 'at once')).toBe('at once')
})

it('lets an operation wait for the one that runs, also where an earlier one is over', async () => {
  const enqueue = createKeyedQueue()
  const [first, second] = [deferred(), deferred()]
  const one = enqueue('a', () => first.promise)
  void enqueue('a', () => second.promise)
  first.resolve()
  await one
  await new Promise(setImmediate)
  const log: string[] = []
  const three = enqueue('a', () => void log.push('third'))
  expect(log).toEqual([])
  second.resolve()
  await three
  expect(log).toEqual(['third'])
})

it('runs an operation at once again when the only one is over', async () => {
  const enqueue = createKeyedQueue()
  await enqueue('a', () => Promise.resolve())
  await new Promise(setImmediate)
  expect(enqueue('a', () => 'at once')).toBe('at once')
})

it('maps a value at once, and a promise when it is there', async () => {
  expect(mapMaybePromise(2, (value) => value + 1)).toBe(3)
  expect(mapMaybePromise(undefined, () => 'none')).toBe('none')
  await expect(mapMaybePromise(Promise.resolve(2), (value) => value + 1)).resolves.toBe(3)
})
