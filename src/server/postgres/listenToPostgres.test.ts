import { expect, it, onTestFinished } from 'vitest'
import { listenToPostgres } from './listenToPostgres.js'
import type { PostgresClient, PostgresPool, PostgresStatement } from './postgresPool.js'

/** A pool with one connection, and what it was asked at a time. */
function createPool() {
  const asked: string[] = []
  const answers: (() => void)[] = []
  const client: PostgresClient = {
    query: (statement: string | PostgresStatement) => {
      asked.push(typeof statement === 'string' ? statement : statement.text)
      return new Promise((resolve, reject) => {
        const isBad = asked.at(-1) === 'bad'
        answers.push(() => (isBad ? reject(new Error('bad')) : resolve({ rows: [], rowCount: 0 })))
      })
    },
    on: () => {},
    release: () => {},
  }
  const pool = { connect: async () => client } as unknown as PostgresPool
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await undefined
  }
  const answer = async () => {
    await settle()
    answers.shift()?.()
    await settle()
  }
  return { pool, asked, answer }
}

it('asks one statement after the other, also where one fails', async () => {
  const { pool, asked, answer } = createPool()
  let isOpen = () => {}
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve
  })
  const listener = listenToPostgres(pool, 'messages', isOpen)
  onTestFinished(listener.stop)
  await answer()
  await opened
  const outcomes = Promise.allSettled([listener.say('one'), listener.say('bad'), listener.say('two')])
  await answer()
  expect(asked).toEqual(['LISTEN messages', 'one', 'bad'])
  await answer()
  await answer()
  expect(asked).toEqual(['LISTEN messages', 'one', 'bad', 'two'])
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
