import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { ALONE, TRACKED } from '../../../test/support/trackedCall.js'
import type { Call } from '../../call/call.js'
import type { TaskClientObservation } from './events.js'
import { createObserver } from './observer.js'

const ID = TRACKED.task.taskId.padEnd(8, '-')
const IDENTITY = { callId: 'c1', name: 'report', startedAt: 0 }
const calling: Call = { ...IDENTITY, stage: 'calling', inputs: new Map() }
const following: Call = { ...IDENTITY, ...TRACKED, task: { ...TRACKED.task, taskId: ID }, stage: 'following' }
const settled: Call = { ...IDENTITY, stage: 'settled', outcome: { error: new Error('no') }, endedAt: 0 }
const AT = { ...ALONE, now: 7 }

function observing() {
  const page = createSimulatedEnvironment()
  const told: TaskClientObservation[] = []
  const observer = createObserver(
    page.environment,
    () => 'hash-of-id',
    (one) => told.push(one),
  )
  const wake = (before: Call, after: Call) =>
    observer.take({ before, event: { type: 'wake' }, after, effects: [], at: AT })
  return { page, told, observer, wake }
}

const note = (text: string) =>
  ({ at: 5, isSent: false, message: { jsonrpc: '2.0', method: 'x', params: { text } } }) as const

describe('an observer', () => {
  it('names on the wire no task of a call', () => {
    const { told, observer, wake } = observing()
    wake(calling, calling)
    wake(following, settled)
    wake(following, { ...settled, task: undefined })
    observer.take(note(ID))
    wake(following, following)
    observer.take(note(ID))
    expect(told.map((one) => 'body' in one && one.body)).toEqual([
      `{"jsonrpc":"2.0","method":"x","params":{"text":"${ID}"}}`,
      '{"jsonrpc":"2.0","method":"x","params":{"text":"hash-of"}}',
    ])
  })

  it('tells what a change of a call was', () => {
    const { told, observer } = observing()
    observer.take({ before: calling, event: { type: 'sending' }, after: calling, effects: [], at: AT })
    expect(told).toEqual([{ type: 'call-sent', callId: 'c1', tool: 'report', at: 7 }])
  })

  it('tells what happens to the page until it is closed, and nothing of the wire after it', async () => {
    const { page, told, observer } = observing()
    await page.setVisible(false)
    await page.setVisible(true)
    await page.setOnline(false)
    await page.setOnline(true)
    await page.hidePage()
    await page.showPage()
    const at = page.now()
    const states = ['hidden', 'visible', 'offline', 'online', 'frozen', 'restored']
    expect(told).toEqual(states.map((state) => ({ type: 'page', at, state })))
    expect(page.listeners()).toBe(4)
    observer.close()
    expect(page.listeners()).toBe(0)
    observer.take(note(ID))
    expect(told).toHaveLength(6)
  })
})
