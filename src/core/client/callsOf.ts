import type { Environment } from '../environment/environment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { asError } from '../protocol/asError.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { READ_MORE } from '../protocol/readMore.js'
import { hash } from '../record/hash.js'
import type { RecordOwner } from '../record/record.js'
import type { SettledToolCall } from '../record/toolCallState.js'
import { catchUpTaskless } from '../run/catchUp.js'
import { closeRun, createRun } from '../run/createRun.js'
import { handlerOf } from '../run/inputs.js'
import { onLeaderChange } from '../run/leading.js'
import { NO_PUSH } from '../run/push.js'
import type { Run } from '../run/run.js'
import { tellPeer } from '../run/showing.js'
import { resumeToolCalls } from '../run/startOrResume.js'
import type { CallTap } from '../run/tap.js'
import { inTime } from '../storage/inTime.js'
import { memoryStorage } from '../storage/memoryStorage.js'
import { createRecordItems, type InTime } from '../storage/recordItems.js'
import { createRecordStore, type RecordStore, scopePrefix } from '../storage/recordStore.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import { NO_TABS, type Tabs } from '../tabs/tabs.js'
import type { PollPolicy } from '../time/policy.js'
import type { Connection } from '../wire/connection.js'
import type { WireTap } from '../wire/wireTap.js'
import type { CallMetas } from './callMeta.js'
import type { TaskClientStore } from './createStore.js'
import type { Listeners } from './listeners.js'
import type { PartsOfClient } from './parts/parts.js'
import type { Reports } from './reports.js'
import type { ConnectionSetUp } from './setUp.js'
import type { TaskClient, TaskClientBaseOptions } from './taskClient.js'
import { type WhenUsed, whenUsed } from './whenUsed.js'

/** What a client has before it is used: its options, read, and its store. */
export interface ClientBase {
  readonly options: TaskClientBaseOptions
  readonly parts: PartsOfClient
  readonly environment: Environment
  readonly reports: Reports
  readonly target: ConnectionSetUp
  readonly policy: PollPolicy
  readonly maxConcurrentPolls: number
  readonly stuckAfterPolls: number
  readonly storage: TaskStorage
  readonly owner: RecordOwner
  readonly store: TaskClientStore
  readonly tap: CallTap & WireTap
  readonly metas: CallMetas
  readonly settled: Listeners<[SettledToolCall]>
  readonly forgotten: Listeners<[(callId?: string) => boolean]>
}

/** What follows the calls of a client. */
export interface CallsOf extends WhenUsed<Run> {
  readonly resume: TaskClient['resumeToolCalls']
  /** Undefined where no other client shares these calls. */
  readonly channel: Environment['channel']
}

/** The calls of a client, over the connection that `connect` makes where there is none. */
export function createCallsOf(base: ClientBase, connect: () => Connection): CallsOf {
  const { options, environment, target, storage, owner } = base
  const { locks, channel } = environment
  const isNamed = target.endpoint !== undefined
  const canShare = isNamed && options.crossTab !== false && locks !== undefined && channel !== undefined

  function openTabs(): Tabs {
    if (!canShare) return aloneTabs(base, isNamed)
    return base.parts.createTabs({
      scope: owner.scope,
      nameOf: (scope) => `taskwire:${hash(JSON.stringify([owner.endpoint, scope]))}`,
      environment,
      locks,
      openChannel: channel,
      onLocksRefused: base.reports.reporting('storage'),
      leaderPer: options.resume === 'lazy' ? 'task' : 'scope',
      onMessage: (message) => base.parts.receive(calls.get(), message),
      onPeer: () => tellPeer(calls.get()),
      onBack: () => catchUpTaskless(calls.get()),
      onLeaderChange: (election, byStealing) => onLeaderChange(calls.get(), election, byStealing),
    })
  }

  const calls = whenUsed<Run>(
    () => runOf(base, connect(), recordsOf(base, isNamed ? storage : memoryStorage()), openTabs()),
    closeRun,
  )

  /** Whether a call is recorded. Where the storage does not say, one may be. */
  const hasRecords = () =>
    createRecordItems(
      storage,
      (pending) => inTime(pending, environment),
      () => {},
    ).onKeys(scopePrefix(owner.endpoint, owner.scope), (keys) => keys.length > 0, true)

  return {
    ...calls,
    channel: canShare ? channel : undefined,
    resume: async (filter) => {
      const isAlone = isNamed && !canShare && !options.results
      if (isAlone && calls.made() === undefined && !(await hasRecords())) return []
      return resumeToolCalls(calls.get(), filter)
    },
  }
}

function runOf(base: ClientBase, port: Connection, records: RecordStore, tabs: Tabs): Run {
  const { options, environment, policy, stuckAfterPolls, reports, owner, store, tap, metas, forgotten } = base
  const { handlers = {}, missing = 'wait' } = options.input ?? {}
  return createRun({
    ...base.parts,
    ...(options.push === false && { createPush: () => NO_PUSH }),
    port,
    environment,
    records,
    tabsShareStorage: isSharedByTabs(options.storage, environment),
    owner,
    store,
    tabs,
    tap,
    maxConcurrentPolls: base.maxConcurrentPolls,
    rules: {
      policy,
      missingInput: missing,
      stuckAfterPolls,
      isHandled: (request) => handlerOf(handlers, request) !== undefined,
      missingCapability: port.missingCapability,
    },
    handlers,
    followsUnobserved: options.resume !== 'lazy',
    onError: (error, callId, operation) => reports.report(asError(error), { callId, operation }),
    prepareMeta: metas.prepare,
    onForgotten: (callId) =>
      forgotten.notify((id) => (callId === undefined || id === callId) && (!id || store.getCall(id) === undefined)),
    onSettled: base.settled.notify,
  })
}

/** Whether other tabs have the storage, too. Where the page has none of its own, its records are in memory. */
function isSharedByTabs(storage: TaskClientBaseOptions['storage'], environment: Environment): boolean {
  if (storage !== undefined && storage !== 'local') return typeof storage === 'object'
  try {
    return environment.storage('local') != null
  } catch {
    // It is there, and the user has blocked it: each read says so.
    return true
  }
}

/** The records of the calls, with the results that are kept beside them. */
function recordsOf({ options, environment, owner, reports }: ClientBase, storage: TaskStorage): RecordStore {
  const { now, setTimeout } = environment
  const onError = reports.reporting('storage')
  const limited: InTime = (pending) => inTime(pending, environment)
  const records = createRecordStore({
    storage,
    isOfPage: typeof options.storage !== 'object',
    ...owner,
    now,
    pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
    inTime: limited,
    onError,
  })
  const prefixOf = (scope = owner.scope) => scopePrefix(owner.endpoint, scope)
  const tabsShareStorage = isSharedByTabs(options.storage, environment)
  return options.results?.({ records, tabsShareStorage, prefixOf, now, inTime: limited, onError }) ?? records
}

/** Two SDK clients without an endpoint may be those of two servers, and a task id is for one of them only. */
function aloneTabs({ options, reports }: ClientBase, isNamed: boolean): Tabs {
  let isKnown = isNamed || options.storage === 'memory'
  const open = () => {
    if (!isKnown) reports.reporting('storage')(unnamedError())
    isKnown = true
  }
  return { ...NO_TABS, open }
}

function unnamedError(): TaskConfigurationError {
  return new TaskConfigurationError(
    'Without an endpoint, calls over an SDK client do not outlive the page and are not shared between tabs. ' +
      (inDevelopment
        ? "Name the server: createTaskClient({ client, endpoint: 'https://example.com/mcp' })."
        : READ_MORE),
  )
}
