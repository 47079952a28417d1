import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { isUnwritten } from '../tasks/unwritten.js'
import { createRunStatement } from './postgresPool.js'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** A pool of one connection, which another has until it is given back, and a database that answers when it is told to. */
function setUp() {
  const waiting: (() => void)[] = []
  const ran: string[] = []
  const released: unknown[] = []
  let isFree = false
  let answer = (): Promise<{ rows: never[]; rowCount: number }> => Promise.resolve({ rows: [], rowCount: 0 })

  function giveBack(destroy?: boolean): void {
    isFree = true
    const next = waiting.shift()
    if (destroy !== undefined) released.push(destroy)
    next?.()
  }

  const client = {
    query: async ({ text }: { text: string }) => {
      ran.push(text)
      return answer()
    },
    on: () => {},
    release: giveBack,
  }
  const pool = {
    connect: async () => {
      if (!isFree) await new Promise<void>((resolve) => waiting.push(resolve))
      isFree = false
      return client
    },
    on: () => {},
  }
  const run = createRunStatement(pool as never)
  return {
    ran,
    released,
    giveBack,
    run: (text: string) => run(text, []),
    setAnswer: (own: typeof answer) => {
      answer = own
    },
  }
}

it('does not run a statement that nobody waits for any more when there is a connection, and writes nothing', async () => {
  const { ran, released, giveBack, run } = setUp()
  const failed = run('late').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(20_000)
  const error = await failed
  expect(String(error)).toMatch(/no answer in 5000 ms/)
  expect(isUnwritten(error)).toBe(true)

  const done = run('in time')
  giveBack()
  await done
  expect(ran).toEqual(['in time'])
  // Those that were too late gave the connection back as it was.
  expect(released.every((destroy) => destroy === false)).toBe(true)
})

it('tries a statement again that found no connection in time, and was not sent', async () => {
  const { ran, giveBack, run } = setUp()
  const done = run('patient')
  await vi.advanceTimersByTimeAsync(5500)
  giveBack()
  expect(await done).toMatchObject({ isRepeated: false })
  expect(ran).toEqual(['patient'])
})

it('ends a connection whose statement has failed, and says that it may have been written where its answer was lost', async () => {
  const { released, giveBack, run, setAnswer } = setUp()
  setAnswer(() => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' })))
  giveBack()
  const failed = run('lost').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(20_000)
  const error = await failed
  expect(error).toMatchObject({ code: 'ECONNRESET' })
  expect(isUnwritten(error)).toBe(false)
  expect(released.length).toBeGreaterThan(1)
  expect(released.every((destroy) => destroy === true)).toBe(true)
})
