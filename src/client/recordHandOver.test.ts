import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import { INTENT, recorded, START } from '../../test/support/stubbedCall.js'
import { callOf, settledOf } from '../../test/support/stubbedPageCalls.js'
import { createEntry } from '../call/callEntry.js'
import { recordOf } from '../call/callRecord.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import { createRecordHandOver } from './recordHandOver.js'

const OWNER = { endpoint: INTENT.endpoint, scope: INTENT.scope }
const HELD: ToolCallRecord = { ...INTENT, held: 'working' }
const WANTED = ['c1', { type: 'wanted' }]

function begin(stored?: ToolCallRecord) {
  const page = createSimulatedEnvironment({ now: START })
  const posted: unknown[][] = []
  const closing = new AbortController()
  const handOver = createRecordHandOver({
    environment: page.environment,
    records: { read: () => Promise.resolve(stored) },
    owner: OWNER,
    tabs: { postCall: (callId, message) => void posted.push([callId, message]) },
    signal: closing.signal,
  })
  const reads: unknown[] = []
  const read = () => void handOver.read('c1').then((record) => reads.push(record))
  return { ...handOver, page, posted, closing, reads, read }
}

describe('the record of a call', () => {
  it.each([undefined, INTENT, recorded()])('that no other tab holds is read: %j', async (stored) => {
    const { read, reads, page, posted } = begin(stored)
    read()
    await page.advance(0)
    expect(reads).toEqual([stored])
    expect(posted).toEqual([])
  })

  it('that another tab holds is asked for, and comes to everybody who has asked', async () => {
    const { read, reads, page, posted, receive, closing } = begin(HELD)
    const stopListening = vi.spyOn(closing.signal, 'removeEventListener')
    read()
    read()
    await page.advance(999)
    expect(posted).toEqual([WANTED, WANTED])
    expect(reads).toEqual([])
    receive('c2', INTENT)
    receive('c1', recorded())
    await page.advance(0)
    expect(reads).toEqual([recorded(), recorded()])
    expect(page.timers()).toBe(0)
    // Both waited by one listener.
    expect(stopListening).toHaveBeenCalledOnce()
  })

  it.each<[ToolCallRecord['held'], ToolCallRecord | undefined]>([
    ['working', HELD],
    ['ended', undefined],
  ])('of a task that is %s, where no tab hands it over for a second', async (held = 'working', record) => {
    const { read, reads, page } = begin({ ...INTENT, held })
    read()
    await page.advance(999)
    expect(reads).toEqual([])
    await page.advance(1)
    expect(reads).toEqual([record])
  })

  it('is not waited for by a client that is closed', async () => {
    const { read, reads, page, closing } = begin(HELD)
    read()
    await page.advance(1)
    closing.abort()
    await page.advance(0)
    expect(reads).toEqual([HELD])
    expect(page.timers()).toBe(0)
  })

  it('is waited for by each that has asked, for its own time', async () => {
    const { read, reads, page, receive } = begin(HELD)
    read()
    await page.advance(500)
    read()
    await page.advance(500)
    expect(reads).toEqual([HELD])
    receive('c1', recorded())
    await page.advance(1)
    expect(reads).toEqual([HELD, recorded()])
  })

  it('that comes when nobody waits any more is passed over', async () => {
    const { read, reads, page, receive } = begin(HELD)
    read()
    await page.advance(1000)
    receive('c1', recorded())
    read()
    await page.advance(1)
    expect(reads).toEqual([HELD])
  })
})

describe('give()', () => {
  const following = callOf(recorded())

  it.each([
    ['what is known of a task', { call: following }, recordOf(following, OWNER, START)],
    ['what was recorded of one that has ended', { call: settledOf(recorded()), record: recorded() }, recorded()],
  ])('posts %s', (_what, { call, record }: { call: typeof following; record?: ToolCallRecord }, posted) => {
    const { give, posted: all } = begin()
    give({ ...createEntry(call), ...(record && { record }) })
    expect(all).toEqual([['c1', { type: 'created', record: posted }]])
  })

  it.each([callOf(INTENT), settledOf(INTENT)])('posts nothing of a call without a task: $stage', (call) => {
    const { give, posted } = begin()
    give(createEntry(call))
    expect(posted).toEqual([])
  })
})
