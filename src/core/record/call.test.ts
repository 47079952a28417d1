import { expect, it } from 'vitest'
import { type Call, type CallStage, isDone, settledBy } from './call.js'

const reason = new Error('closed')
const stages: readonly [CallStage, boolean][] = [
  [{ name: 'waiting', for: 'lock', wish: 'call', isCancelling: false }, false],
  [{ name: 'calling', inputs: new Map(), failure: undefined, isOffline: false, isCancelling: false }, false],
  [{ name: 'task' }, false],
  [{ name: 'ending' }, false],
  [{ name: 'left', reason }, true],
  [settledBy({ error: reason }, 5), true],
]

it.each(stages)('is done or not: %o', (stage, done) => {
  expect(isDone({ stage } as Call)).toBe(done)
})

it('can be sent again only where that is said', () => {
  expect(settledBy({ error: reason }, 5)).toEqual({
    ...{ name: 'settled', outcome: { error: reason }, task: undefined, endedAt: 5, canRepeat: false },
  })
  expect(settledBy({ error: reason }, 5, undefined, true)).toMatchObject({ canRepeat: true })
})
