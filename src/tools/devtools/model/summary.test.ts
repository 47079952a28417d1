import { expect, it } from 'vitest'
import { type SummaryParts, summaryOf } from './summary.js'

const of = { callId: 'c', tool: 'report' } as const

const valuesOf = (parts: Partial<SummaryParts>) =>
  Object.fromEntries(
    summaryOf({
      servers: [],
      start: { isOnline: true, isVisible: true },
      ofPage: [],
      ofCalls: [],
      faults: new Set(),
      ...parts,
    }).map(({ name, value }) => [name, value]),
  )

it('the summary begins with the state of the page, and continues with what is observed of it', () => {
  expect(valuesOf({})).toMatchObject({ Network: 'online', Page: 'visible' })
  const ofPage = [
    { type: 'page', at: 1, state: 'offline' },
    { type: 'page', at: 2, state: 'hidden' },
  ] as const
  expect(valuesOf({ ofPage })).toMatchObject({ Network: 'offline', Page: 'hidden' })
})

it('the summary says which tab polls', () => {
  expect(valuesOf({})).toMatchObject({ Polls: 'nothing to poll yet' })
  const gained = { ...of, type: 'leader-gained', at: 1 } as const
  expect(valuesOf({ ofCalls: [gained] })).toMatchObject({ Polls: 'this tab' })
  expect(valuesOf({ ofCalls: [gained, { ...of, type: 'leader-lost', at: 2 }] })).toMatchObject({ Polls: 'another tab' })
})

it('the summary names the server and the faults that are on', () => {
  const server = { name: 'reports', version: '1.0.0' }
  const values = valuesOf({
    servers: [{ url: undefined, connection: { status: 'connected', server, protocolVersion: '2026-07-28' } }],
    faults: new Set(['offline', 'slow']),
  })
  expect(values).toMatchObject({ Server: 'connected (reports, 2026-07-28)', Faults: 'Offline, Slow' })
})

it('the summary names no faults where none is on, so that two servers fit on its line', () => {
  expect(valuesOf({})).not.toHaveProperty('Faults')
})
