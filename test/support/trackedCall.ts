import type { Circumstances, Tracked } from '../../src/call/call.js'
import { NO_INPUTS } from '../../src/call/inputs.js'
import { TASK } from './stubbedCall.js'

/** A call whose task this tab polls, with nothing due and nothing on its way. */
export const TRACKED: Tracked = {
  task: TASK,
  passedOver: undefined,
  snapshotAt: undefined,
  refusals: undefined,
  knownAt: 0,
  receivedAt: 0,
  dueAt: 0,
  earliestAt: 0,
  failureCount: 0,
  violations: 0,
  era: 'modern',
  record: 'kept',
  poller: 'this-tab',
  poll: 'idle',
  listenUntil: 0,
  foreignPollUntil: 0,
  foreignPollAt: 0,
  lastPollAt: 0,
  isHinted: false,
  leaderTimeoutAt: 0,
  wasLate: false,
  blocked: undefined,
  failure: undefined,
  inputs: NO_INPUTS,
  answered: [],
  cancel: 'none',
  idlePolls: 0,
}

/** Nothing in the way, in the only tab. */
export const ALONE: Circumstances = {
  now: 0,
  jitter: 0,
  isOnline: true,
  isVisible: true,
  isAlone: true,
  isLeader: true,
  wasStolen: false,
  isPushed: false,
  isLate: false,
  era: 'modern',
}
