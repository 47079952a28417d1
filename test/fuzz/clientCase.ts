import fc from 'fast-check'
import type { CallPlan } from '../chaos/chaosServer.js'
import type { ClientKind } from '../support/createClientOf.js'
import { RESPONSE_MANGLES } from './kinds.js'
import type { Fault } from './mangledResponse.js'
import type { Edit } from './mutateJson.js'

/** Which request a fault is for: the next one of the method, of any method, or a message that the server pushes. */
export type FaultTarget =
  | 'any'
  | 'server/discover'
  | 'initialize'
  | 'tools/list'
  | 'tools/call'
  | 'tasks/get'
  | 'tasks/result'
  | 'tasks/update'
  | 'tasks/cancel'
  | 'subscriptions/listen'
  | 'pushed'
  | 'response'

export interface ClientFault extends Fault {
  readonly target: FaultTarget
}

/** What the app, the user or the page does. `which` is taken modulo what there is. */
export interface Action {
  readonly kind: 'wait' | 'cancel' | 'respond' | 'refuse' | 'manual' | 'forget' | 'reload' | 'hide' | 'offline'
  readonly which: number
  readonly ms: number
}

export interface CallSpec {
  readonly tool: 'work' | 'look'
  readonly key: string | undefined
  readonly plan: Omit<CallPlan, 'nonce'>
}

/** A message between tabs that is sent once more, changed. */
export interface TabFault {
  /** How many messages pass before. */
  readonly after: number
  readonly edits: readonly Edit[]
}

/** What becomes of the storage while no page is open. */
export interface StorageFault {
  readonly kind: 'members' | 'text' | 'foreign'
  readonly which: number
  readonly edits: readonly Edit[]
}

/** Everything that decides a run of a client. */
export interface ClientCase {
  /** Which of the two clients the pages have. */
  readonly client: ClientKind
  readonly era: 'modern' | 'legacy'
  readonly push: boolean
  readonly resume: 'eager' | 'lazy'
  readonly tabs: number
  readonly seed: number
  readonly calls: readonly CallSpec[]
  readonly actions: readonly Action[]
  readonly faults: readonly ClientFault[]
  readonly tabFaults: readonly TabFault[]
  /** Undefined: storage is left alone. */
  readonly storageFaults: readonly StorageFault[] | undefined
}

const nat = fc.nat({ max: 4095 })
const edit: fc.Arbitrary<Edit> = fc.record({ where: nat, how: nat, what: nat })
export const edits: fc.Arbitrary<Edit[]> = fc.array(edit, { minLength: 1, maxLength: 3 })

const plan: fc.Arbitrary<CallSpec['plan']> = fc.record({
  answer: fc.oneof(
    { weight: 8, arbitrary: fc.constant('task' as const) },
    { weight: 1, arbitrary: fc.constantFrom('ended task' as const, 'result' as const, 'refusal' as const) },
  ),
  seconds: fc.integer({ min: 1, max: 9 }),
  outcome: fc.constantFrom('success' as const, 'success' as const, 'failure' as const, 'tool error' as const),
  intervalsMs: fc.constantFrom([700, 700], [1000, 2500], [3000, 900]) as fc.Arbitrary<[number, number]>,
  ttlMs: fc.constantFrom(null, null, 3_600_000),
  obeysCancel: fc.boolean(),
  questions: fc.constantFrom([], [], ['size'], ['size', 'colour']),
})

const calls: fc.Arbitrary<CallSpec[]> = fc.array(
  fc.record({
    tool: fc.constantFrom('work' as const, 'work' as const, 'look' as const),
    key: fc.constantFrom(undefined, 'a', 'b'),
    plan,
  }),
  { minLength: 1, maxLength: 3 },
)

const actions = (...kinds: readonly Action['kind'][]): fc.Arbitrary<Action[]> =>
  fc.array(fc.record({ kind: fc.constantFrom('wait' as const, ...kinds), which: nat, ms: fc.nat({ max: 4000 }) }), {
    maxLength: 10,
  })

const COMMON_TARGETS = ['any', 'server/discover', 'tools/list', 'tools/call', 'tasks/update', 'tasks/cancel'] as const
const TARGETS: Readonly<Record<ClientCase['era'], readonly FaultTarget[]>> = {
  modern: [...COMMON_TARGETS, 'subscriptions/listen', 'pushed', 'pushed'],
  legacy: [...COMMON_TARGETS, 'initialize', 'tasks/result', 'tasks/result', 'pushed', 'response'],
}

const faultsOf = (era: ClientCase['era']): fc.Arbitrary<ClientFault[]> => {
  const target = fc.constantFrom<FaultTarget>(...TARGETS[era], ...TARGETS[era].map(() => 'tasks/get' as const))
  const fault = fc.record({ target, kind: fc.constantFrom(...RESPONSE_MANGLES), edits })
  return fc.array(fault, { minLength: 1, maxLength: 12 })
}

const base = {
  resume: fc.constantFrom('eager' as const, 'eager' as const, 'lazy' as const),
  seed: fc.nat({ max: 0xffff }),
  calls,
}
const nothing = fc.constant([])
const untouched = fc.constant(undefined)

const everything = actions('cancel', 'respond', 'respond', 'refuse', 'manual', 'forget', 'reload', 'hide', 'offline')

const answers = (era: 'modern' | 'legacy', client: ClientKind = 'full'): fc.Arbitrary<ClientCase> =>
  fc.record({
    ...base,
    client: fc.constant(client),
    era: fc.constant(era),
    push: era === 'modern' ? fc.boolean() : fc.constant(false),
    tabs: fc.constantFrom(1, 1, 2),
    actions: everything,
    faults: faultsOf(era),
    tabFaults: nothing,
    storageFaults: untouched,
  })

/** A sane server, and a script of the same origin that speaks on the channel of the tabs. */
const tabs: fc.Arbitrary<ClientCase> = fc.record({
  ...base,
  client: fc.constant('full' as const),
  era: fc.constantFrom('modern' as const, 'modern' as const, 'legacy' as const),
  push: fc.boolean(),
  tabs: fc.constantFrom(2, 3),
  actions: actions('cancel', 'respond', 'hide', 'reload'),
  faults: nothing,
  tabFaults: fc.array(fc.record({ after: fc.nat({ max: 12 }), edits }), { minLength: 1, maxLength: 8 }),
  storageFaults: untouched,
})

/** A sane server, and a storage that somebody has written to between two visits. */
const storage: fc.Arbitrary<ClientCase> = fc.record({
  ...base,
  client: fc.constant('full' as const),
  era: fc.constantFrom('modern' as const, 'modern' as const, 'legacy' as const),
  push: fc.boolean(),
  tabs: fc.constantFrom(1, 2),
  actions: actions('cancel', 'respond'),
  faults: nothing,
  tabFaults: nothing,
  storageFaults: fc.array(
    fc.record({
      kind: fc.constantFrom('members' as const, 'members' as const, 'text' as const, 'foreign' as const),
      which: nat,
      edits,
    }),
    { minLength: 1, maxLength: 5 },
  ),
})

/** How runs of each target of the client are made. */
export const CLIENT_CASES = {
  modern: answers('modern'),
  lite: answers('modern', 'lite'),
  legacy: answers('legacy'),
  tabs,
  storage,
} as const
