import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { INTENT } from '../../test/support/stubbedCall.js'
import { TRACKED } from '../../test/support/trackedCall.js'
import type { Tracked } from './call.js'
import { createEntry } from './callEntry.js'
import { listenToPage } from './pageEvents.js'

const { callId, startedAt } = INTENT

/** A page with one call, and a log of what happens to it. */
function open(stage: 'following' | 'resting', changes: (now: number) => Partial<Tracked> = () => ({})) {
  const page = createSimulatedEnvironment()
  const { environment } = page
  const log: string[] = []
  const start = page.now()
  const entry = createEntry({ callId, name: 'report', startedAt, ...TRACKED, ...changes(start), stage })
  const stop = listenToPage({
    environment,
    tabs: {
      postSyncRequest: (taskId) => void log.push(`ask about ${taskId}`),
      postTask: (taskId, message) => {
        const at = message.type === 'poll-aborted' ? message.nextPollAt - start : undefined
        log.push(`post ${message.type} of ${taskId}, ${at} ms`)
      },
    },
    tracked: () => [entry],
    dispatch: (_entry, event) => void log.push(event.type),
    onHide: () => void log.push('hide'),
    onShown: ({ call }) => void log.push(`shown ${call.callId}`),
  })
  return { page, log, stop }
}

const next = (delayMs: number) => (now: number) => ({ earliestAt: now + delayMs })

describe('the calls of a page', () => {
  it('have each a look at the page where the network or its visibility changes', async () => {
    const { page, log } = open('following')
    await page.setOnline(false)
    await page.setVisible(false)
    expect(log).toEqual(['online', 'wake'])
  })

  it('are told of by the caller where the page goes away', async () => {
    const { page, log } = open('following')
    await page.hidePage()
    expect(log).toEqual(['hide'])
  })

  it.each([
    ['when the next poll is', 1, ['post poll-aborted of t1, 1 ms']],
    ['nothing of a poll that is due', 0, []],
  ])('of a page that is back ask the other tabs what they know, and tell them %s', async (_, delayMs, posted) => {
    const { page, log } = open('following', next(delayMs))
    await page.showPage()
    expect(log).toEqual(['page-shown', 'ask about t1', ...posted, 'shown c1'])
  })

  it('neither ask nor tell anybody of a task that nobody here observes', async () => {
    const { page, log } = open('resting', next(1000))
    await page.showPage()
    expect(log).toEqual(['page-shown', 'shown c1'])
  })

  it('hear nothing more once the page is listened to no longer', async () => {
    const { page, log, stop } = open('following')
    expect(page.listeners()).toBe(4)
    stop()
    await page.showPage()
    expect(page.listeners()).toBe(0)
    expect(log).toEqual([])
  })
})
