import { describe, expect, it } from 'vitest'
import type { DetailedTask } from '../protocol/task.js'
import { createSharedPolls } from './sharedPolls.js'

const TASK: DetailedTask = { taskId: 'a', status: 'working', createdAt: '', lastUpdatedAt: '', ttlMs: null }

function setUp() {
  const sent: { id: string; signal: AbortSignal; resolve(task: DetailedTask): void; reject(error: Error): void }[] = []
  const over: string[] = []
  const polls = createSharedPolls({
    send: (id, signal) => new Promise((resolve, reject) => sent.push({ id, signal, resolve, reject })),
    now: () => 1000,
    onOver: (id) => over.push(id),
  })
  return { polls, sent, over }
}

describe('polls', () => {
  it('of one task are one while it is under way, and their answer is for all', async () => {
    const { polls, sent, over } = setUp()
    const both = Promise.all([polls.poll('a', undefined), polls.poll('a', new AbortController().signal)])
    expect(sent).toHaveLength(1)
    expect(polls.isUnderWay('a')).toBe(true)
    sent[0]?.resolve(TASK)
    await expect(both).resolves.toEqual([TASK, TASK])
    expect(polls.isUnderWay('a')).toBe(false)
    expect(over).toEqual(['a'])
    void polls.poll('a', undefined)
    expect(sent).toHaveLength(2)
  })

  it('of two tasks are two', () => {
    const { polls, sent } = setUp()
    void polls.poll('a', undefined)
    void polls.poll('b', undefined)
    expect(sent.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(polls.lastAt('b')).toBe(1000)
  })

  it('go on for the others where one of them waits no longer', async () => {
    const { polls, sent } = setUp()
    const impatient = new AbortController()
    const reason = new Error('enough')
    const first = polls.poll('a', impatient.signal)
    const second = polls.poll('a', undefined)
    impatient.abort(reason)
    await expect(first).rejects.toBe(reason)
    expect(sent[0]?.signal.aborted).toBe(false)
    sent[0]?.resolve(TASK)
    await expect(second).resolves.toBe(TASK)
  })

  it('are given up where nobody waits, and the next one is new', async () => {
    const { polls, sent } = setUp()
    const impatient = new AbortController()
    const poll = polls.poll('a', impatient.signal)
    impatient.abort(new Error('enough'))
    await expect(poll).rejects.toThrow('enough')
    expect(sent[0]?.signal.aborted).toBe(true)
    void polls.poll('a', undefined)
    expect(sent).toHaveLength(2)
    sent[0]?.reject(new Error('late'))
    expect(polls.isUnderWay('a')).toBe(true)
  })

  it('do not go out where they were given up before', async () => {
    const { polls, sent } = setUp()
    await expect(polls.poll('a', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    expect(sent).toEqual([])
  })
})
