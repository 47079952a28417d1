import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TaskExpiredError, TaskRequestError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import { type DetailedTask, isTerminal, type Task } from '../protocol/task.js'
import { type Call, type CallEvent, type CallRules, type Circumstances, type Effect, isTracked } from './call.js'
import { isBusy } from './inputs.js'
import { DEFAULT_POLL_POLICY, pollInterval } from './pollPolicy.js'
import { transition, wakeAt } from './transition.js'

const START = Date.UTC(2026, 6, 28)
const INTERVALS = [0, 50, 1000, 7000, 60_000]
const STEPS_MS = [0, 1, 10, 100, 1000, 1001, 5000, 30_000, 3_600_000]
/** Nothing that the server or another tab says here makes a call wait for longer. */
const LONGEST_WAIT_MS = 120_000
const KEYS = ['q1', 'q2', 'q3']
const roots: InputRequest = { method: 'roots/list' }
const down = new TaskRequestError('down', { kind: 'network' })

/** One call in a page whose circumstances, server and other tabs are chance; `choices` says how it falls. */
function play(choices: readonly number[], hidden: 'continue' | 'pause'): void {
  const rules: CallRules = {
    policy: { ...DEFAULT_POLL_POLICY, hidden },
    missingInput: 'wait',
    stuckAfterPolls: 4,
    isHandled: () => false,
    missingCapability: () => undefined,
  }
  const at: { -readonly [name in keyof Circumstances]: Circumstances[name] } = {
    now: START,
    jitter: 0.5,
    isOnline: true,
    isVisible: true,
    isAlone: false,
    isLeader: true,
    isPushed: false,
    isLate: false,
    era: 'modern',
    wasStolen: false,
  }
  let call: Call = { callId: 'c1', name: 'report', startedAt: START, stage: 'calling', inputs: new Map() }
  /** Before this time the server does not want to be asked, as the polls of this page have learned. */
  let floor = 0
  let isPolling = false
  let ends = 0
  let version = 0
  let choice = 0

  const pick = <T>(values: readonly T[]): T => {
    const value = values[choice % values.length] as T
    choice = Math.floor(choice / values.length)
    return value
  }
  const interval = () => (isTracked(call) ? pollInterval(call.task.pollIntervalMs, rules.policy) : 0)

  function task(): Task {
    version += pick([0, 1, 1, -1])
    const lastUpdatedAt = new Date(START + version * 1000).toISOString()
    const times = { createdAt: lastUpdatedAt, lastUpdatedAt, ttlMs: pick([null, null, 60_000]) }
    return { taskId: 't1', status: 'working', ...times, pollIntervalMs: pick(INTERVALS) }
  }

  function snapshot(): DetailedTask {
    const status = pick(['working', 'working', 'input_required', 'input_required', 'input_required', 'cancelled'])
    if (status !== 'input_required') return { ...task(), status: status === 'cancelled' ? status : 'working' }
    const first = pick([0, 1, 2])
    const asked = KEYS.slice(first, first + pick([1, 2]))
    return { ...task(), status, inputRequests: Object.fromEntries(asked.map((key) => [key, roots])) }
  }

  function dispatch(event: CallEvent): void {
    const before = call
    const { call: after, effects } = transition(Object.freeze(before), event, at, rules)
    call = after
    checkPolls(before, effects)
    checkEnds(before, effects)
    checkInputs(event)
  }

  function checkPolls(before: Call, effects: readonly Effect[]): void {
    const wasFollowed = before.stage === 'following'
    if (wasFollowed && call.stage !== 'following') isPolling = false
    if (!effects.some(({ type }) => type === 'poll')) return
    if (call.stage !== 'following') throw new Error('A call that is not followed polls.')
    expect(isPolling).toBe(false)
    expect(at.now).toBeGreaterThanOrEqual(Math.max(call.earliestAt, call.dueAt, call.foreignPollUntil))
    // A ttl that ends sooner than the server asks to wait brings the last poll forward.
    expect(call.task.ttlMs === null && at.now < floor).toBe(false)
    expect({ ...at, poller: call.poller }).toMatchObject({ isOnline: true, isLeader: true, poller: 'this-tab' })
    expect(hidden === 'pause' && !at.isVisible).toBe(false)
    expect(call.poll).toBe('queued')
    isPolling = true
  }

  function checkEnds(before: Call, effects: readonly Effect[]): void {
    ends += effects.filter(({ type }) => type === 'end').length
    expect(ends).toBeLessThanOrEqual(1)
    expect(before.stage === 'settled' && call !== before).toBe(false)
    expect(before.stage === 'ending' && call.stage !== 'ending' && call.stage !== 'settled').toBe(false)
    const wasOver = isTracked(before) && isTerminal(before.task.status)
    expect(wasOver && isTracked(call) && !isTerminal(call.task.status)).toBe(false)
  }

  function checkInputs(event: CallEvent): void {
    if (call.stage !== 'following' && call.stage !== 'resting') return
    for (const key of call.answered) expect(call.inputs.get(key)?.status ?? 'answered').toBe('answered')
    expect(event.type === 'responded' && !call.answered.includes(event.inputKey)).toBe(false)
    expect(call.idlePolls > 0 && isBusy(call.inputs)).toBe(false)
  }

  /** A call that waits says until when, and one look at that time is enough to bring it on. */
  function checkWakes(): void {
    const waits =
      call.stage === 'following' && call.poll === 'idle' && call.blocked === undefined && call.poller !== 'checking'
    const time = wakeAt(call)
    expect(time !== undefined).toBe(waits)
    expect((time ?? 0) - at.now).toBeLessThanOrEqual(LONGEST_WAIT_MS)
    if (time === undefined || time > at.now) return
    dispatch({ type: 'wake' })
    const next = wakeAt(call) ?? Number.POSITIVE_INFINITY
    expect(next).toBeGreaterThan(at.now)
    const settled = call
    dispatch({ type: 'wake' })
    expect(call).toBe(settled)
  }

  const own = (message: Extract<CallEvent, { type: 'message' }>['message']): CallEvent => ({
    type: 'message',
    message,
    isOwn: true,
  })

  /** What becomes of the poll that is under way. */
  function respond(): void {
    if (!isPolling || !isTracked(call)) return
    const outcome = pick(['snapshot', 'snapshot', 'snapshot', 'failed', 'aborted', 'lost'])
    isPolling = false
    if (outcome === 'snapshot') {
      const task = snapshot()
      floor = at.now + pollInterval(task.pollIntervalMs, rules.policy)
      return dispatch(own({ type: 'snapshot', task, nextPollAt: floor + (at.isPushed ? 30_000 : 0) }))
    }
    if (outcome === 'lost') return dispatch(own({ type: 'ended', error: new TaskExpiredError('unknown-task') }))
    floor = at.now + interval() + pick([0, 5000])
    if (outcome === 'aborted') return dispatch(own({ type: 'poll-aborted', nextPollAt: floor }))
    const failure = { error: down, failureCount: 1, network: 'retrying' as const }
    dispatch(own({ type: 'poll-failed', ...failure, earliestAt: floor, nextPollAt: floor + pick([0, 3000]) }))
  }

  function receive(): void {
    const nextPollAt = at.now + pick([-10_000, 0, 700, 40_000])
    const failure = { error: down, failureCount: 2, network: 'retrying' as const }
    const message = pick([
      () => ({ type: 'polling' as const, until: at.now + 5000 }),
      () => ({ type: 'poll-aborted' as const, nextPollAt }),
      () => ({ type: 'snapshot' as const, task: snapshot(), nextPollAt }),
      () => ({ type: 'poll-failed' as const, ...failure, earliestAt: nextPollAt, nextPollAt: nextPollAt + 900 }),
      () => ({ type: 'responded' as const, inputKey: pick(KEYS) }),
      () => ({ type: 'cancelling' as const, isCancelling: pick([true, false]) }),
    ])()
    dispatch({ type: 'message', message, isOwn: false })
  }

  function pass(): void {
    at.now += pick(STEPS_MS)
    at.isLate = pick([false, false, true])
  }

  function setBack(): void {
    const by = pick([1, 500, 3_600_000])
    at.now -= by
    floor -= by
    dispatch({ type: 'clock-set-back', by })
  }

  function sendPoll(): void {
    if (call.stage !== 'following' || call.poll !== 'queued') return
    dispatch({ type: 'poll-sent' })
    floor = at.now + interval()
  }

  const steps: readonly (() => void)[] = [
    pass,
    pass,
    pass,
    respond,
    respond,
    sendPoll,
    receive,
    receive,
    setBack,
    () => dispatch({ type: 'pushed', task: snapshot() }),
    () => dispatch({ type: 'wake' }),
    () => dispatch({ type: 'page-shown' }),
    () => dispatch({ type: 'observed' }),
    () => dispatch({ type: 'unobserved' }),
    () =>
      dispatch({ type: 'next-poll-read', nextPollAt: pick([undefined, 'unreadable', at.now - 1000, at.now + 20_000]) }),
    () => dispatch({ type: 'input', inputKey: pick(KEYS), input: { status: pick(['sending', 'rejected', 'open']) } }),
    () => dispatch({ type: 'responded', inputKey: pick(KEYS) }),
    () => dispatch({ type: 'cancel', status: pick(['none', 'sending', 'retrying', 'requested']) }),
    () => dispatch({ type: 'recorded', record: pick(['kept', 'failed']) }),
    () => {
      at.isOnline = !at.isOnline
      dispatch({ type: 'online' })
    },
    () => {
      at.isVisible = !at.isVisible
      dispatch({ type: 'wake' })
    },
    () => {
      at.isLeader = !at.isLeader
      at.wasStolen = at.isLeader && pick([true, false])
      dispatch({ type: 'leader-changed' })
    },
    () => {
      at.isPushed = !at.isPushed
      dispatch({ type: 'push-changed' })
    },
    () => {
      if (call.stage === 'ending') dispatch({ type: 'settled', outcome: { error: down } })
    },
  ]

  const created = { ...task(), ttlMs: null }
  floor = at.now + pollInterval(created.pollIntervalMs, rules.policy)
  dispatch({ type: 'created', task: created, era: 'modern' })
  for (const each of choices) {
    choice = each
    pick(steps)()
    checkWakes()
  }
}

it('a call keeps its promises, whatever happens to it in whatever order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(2 ** 31 - 1), { maxLength: 80, size: 'max' }),
      fc.constantFrom('continue' as const, 'pause' as const),
      play,
    ),
    // As many as fit into two seconds.
    { numRuns: 1_000_000, interruptAfterTimeLimit: 2000 },
  )
})
