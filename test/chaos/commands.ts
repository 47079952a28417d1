import fc from 'fast-check'
import { type Fault, NETWORK_FAULTS, type NetworkFault, type PageFault, PUSH_FAULTS } from './faults.js'
import { LATEST_MS, type MessageTrouble } from './messageTroubles.js'
import type { FaultTarget } from './network.js'
import type { StorageTrouble } from './recordWatch.js'
import { endedCalls, isAwake, openInputRequests, type Tab } from './tab.js'
import { type CallSpec, look, MAX_DRIFT_MS, type World } from './world.js'

/** A place for a tab in the window of the browser, as far as a schedule has to know it. */
type Place = 'empty' | 'awake' | 'frozen' | 'cached'

/** What a schedule knows of the browser: enough to say which commands make sense. */
export interface Model {
  readonly places: Place[]
  /** The faults that exist in this world. */
  readonly faults: ReadonlySet<Fault>
}

/** The browser, with its tabs in their places. */
export interface Real {
  readonly world: World
  readonly places: (Tab | undefined)[]
  /** The calls that the pages of this app make when they are loaded. */
  readonly calls: Map<string, CallSpec>
}

export type Command = fc.AsyncCommand<Model, Real>

interface CommandParts {
  readonly name: string
  /** The fault that it is: in a world without it the command is passed over. */
  readonly fault?: Fault | undefined
  /** The places the command can be for, by what has to be in them, and which of these it is for. */
  readonly needs?: readonly [which: number, what: readonly Place[]]
  readonly run: (real: Real, model: Model, place: number) => Promise<void> | void
}

function placesWith({ places }: Model, what: readonly Place[]): number[] {
  return places.flatMap((found, index) => (what.includes(found) ? [index] : []))
}

function command({ name, fault, needs, run }: CommandParts): Command {
  return {
    check: (model) =>
      (fault === undefined || model.faults.has(fault)) &&
      (needs === undefined || placesWith(model, needs[1]).length > 0),
    run: async (model, real) => {
      const places = needs === undefined ? [] : placesWith(model, needs[1])
      const place = places[(needs?.[0] ?? 0) % Math.max(1, places.length)] ?? 0
      real.world.log(`# ${name}${needs === undefined ? '' : ` in place ${place}`}`)
      if (fault !== undefined && !real.world.strikes(fault)) return
      const tab = needs === undefined ? undefined : real.places[place]
      if (tab !== undefined) real.world.stirred(tab)
      await run(real, model, place)
    },
    toString: () => name,
  }
}

const OPEN: readonly Place[] = ['awake', 'frozen', 'cached']
const AWAKE: readonly Place[] = ['awake']

const which = fc.nat({ max: 2 })
const nat = fc.nat({ max: 31 })

/** The tab in a place that is not empty. */
function tabIn({ places }: Real, index: number): Tab {
  const tab = places[index]
  if (tab === undefined) throw new Error(`There is no tab in place ${index}.`)
  return tab
}

export async function open(real: Real, model: Model, index: number, restarts: boolean): Promise<void> {
  const { world } = real
  const tab = world.openTab()
  real.places[index] = tab
  model.places[index] = 'awake'
  world.count('tab opened')
  world.log(`${tab.name} opens`)
  // A page that is loaded takes up what is left, and shows what it always shows.
  const resumed = world.options.resume === 'eager' ? tab.client.connect() : tab.client.resumeToolCalls()
  resumed.catch(() => {})
  if (!restarts) return
  for (const [callId, call] of real.calls) {
    if (!world.isForgotten(callId)) world.start(tab, { ...call, repeat: 'never' })
  }
}

async function end(real: Real, model: Model, index: number, how: 'close' | 'crash'): Promise<void> {
  const tab = tabIn(real, index)
  real.places[index] = undefined
  model.places[index] = 'empty'
  real.world.log(`${tab.name} ends (${how})`)
  // A page that is frozen is not told of its end.
  if (how === 'close' && isAwake(tab)) {
    await tab.page.hidePage()
  }
  tab.isAlive = false
  real.world.ended(tab)
  await tab.page.crash()
}

/** Wakes a tab, in the order in which browsers do it. */
export async function wake(tab: Tab, now: number): Promise<void> {
  const { isCached } = tab
  tab.isFrozen = false
  tab.isCached = false
  tab.awakeSince = now
  await tab.page.thaw()
  if (isCached) await tab.page.showPage()
}

const plan = fc.record({
  answer: fc.oneof(
    { weight: 10, arbitrary: fc.constant('task' as const) },
    { weight: 1, arbitrary: fc.constantFrom('ended task' as const, 'result' as const, 'refusal' as const) },
  ),
  seconds: fc.integer({ min: 1, max: 14 }),
  outcome: fc.constantFrom('success' as const, 'success' as const, 'failure' as const, 'tool error' as const),
  intervalsMs: fc.tuple(fc.constantFrom(700, 1000, 2000, 3000), fc.constantFrom(700, 1000, 2000, 3000)),
  ttlMs: fc.oneof(
    { weight: 6, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.constant(3_600_000) },
    { weight: 1, arbitrary: fc.constant(9000) },
  ),
  obeysCancel: fc.boolean(),
  questions: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constantFrom(['size'], ['size', 'colour']) },
  ),
})

const repeat = fc.oneof(
  { weight: 8, arbitrary: fc.constant('never' as const) },
  { weight: 1, arbitrary: fc.constantFrom('always' as const, 'settled' as const) },
)

const start = fc
  .tuple(which, fc.constantFrom('a', 'b', 'c', undefined), repeat, plan)
  .map(([index, key, wanted, rest]) =>
    command({
      name: `start(${index}, ${key ?? 'no key'}, ${wanted}, ${JSON.stringify(rest)})`,
      needs: [index, AWAKE],
      run: (real, _, place) => {
        const tab = tabIn(real, place)
        const name = key === 'c' ? 'look' : 'work'
        const call = { name, key, repeat: key === undefined ? 'never' : wanted, plan: rest } as const
        if (key !== undefined) real.calls.set(tab.client.toolCallId(name, key), call)
        real.world.count(
          key === undefined ? 'call without key' : call.repeat === 'never' ? 'keyed call' : 'repeated call',
        )
        real.world.start(tab, call)
      },
    }),
  )

const openTab = fc.tuple(which, fc.boolean()).map(([index, restarts]) =>
  command({
    name: `open(${index}, ${restarts})`,
    needs: [index, ['empty']],
    run: (real, model, place) => open(real, model, place, restarts),
  }),
)

const reload = fc.tuple(which, fc.boolean()).map(([index, restarts]) =>
  command({
    name: `reload(${index}, ${restarts})`,
    fault: 'reload',
    needs: [index, AWAKE],
    run: async (real, model, place) => {
      real.world.count('reload')
      await end(real, model, place, 'close')
      await open(real, model, place, restarts)
    },
  }),
)

const endTab = fc.tuple(which, fc.constantFrom('close' as const, 'crash' as const)).map(([index, how]) =>
  command({
    name: `${how}(${index})`,
    fault: how === 'crash' ? 'tab crashed' : 'tab closed',
    needs: [index, OPEN],
    run: async (real, model, place) => {
      real.world.count(how === 'crash' ? 'tab crashed' : 'tab closed')
      await end(real, model, place, how)
    },
  }),
)

const crashLeader = fc.constant(
  command({
    name: 'crashLeader()',
    fault: 'leader crashed',
    run: async (real, model) => {
      const index = real.places.findIndex((tab) => tab !== undefined && tab === real.world.lastPoller())
      if (index < 0) return
      real.world.count('leader crashed')
      await end(real, model, index, 'crash')
    },
  }),
)

const closeClient = which.map((index) =>
  command({
    name: `closeClient(${index})`,
    fault: 'client closed',
    needs: [index, AWAKE],
    run: async (real, model, place) => {
      real.world.count('client closed')
      const tab = tabIn(real, place)
      await untilClosed(real, model, place, close(real, tab))
    },
  }),
)

function close({ world }: Real, tab: Tab): Promise<void> {
  const closing = tab.client.close()
  tab.isClosed = true
  world.ended(tab)
  return closing
}

async function untilClosed({ world, places }: Real, model: Model, place: number, closing: Promise<void>) {
  const tab = places[place]
  places[place] = undefined
  model.places[place] = 'empty'
  // A storage that takes its time has to be given it; one that never answers is given five seconds.
  let isOver = false
  const over = closing.then(() => {
    isOver = true
  })
  await world.browser.settle()
  for (let waited = 0; !isOver && waited < 12_000; waited += waited < 1000 ? 10 : 500)
    await world.browser.advance(waited < 1000 ? 10 : 500)
  if (!isOver) world.breach('left running after close()', `${tab?.name} does not close`)
  else await over
}

/** Has something happen in the middle of what a page does, within the next seconds, and lets time pass until then. */
async function atAwait({ world }: Real, tab: Tab, count: number, action: () => void): Promise<boolean> {
  let isDone = false
  world.atAwait(tab, count, () => {
    isDone = true
    action()
  })
  for (let waited = 0; !isDone && waited < 3000; waited += 100) await world.browser.advance(100)
  world.atAwait(tab, 0)
  return isDone
}

const awaits = fc.integer({ min: 1, max: 40 })

/** `close()` in the middle of a call that begins, or of whatever the page does. */
const closeAtAwait = fc.tuple(which, awaits, fc.option(fc.constantFrom('a', 'b'))).map(([index, count, key]) =>
  command({
    name: `closeAtAwait(${index}, ${count}, ${key})`,
    needs: [index, AWAKE],
    run: async (real, model, place) => {
      const tab = tabIn(real, place)
      if (key !== null) startPlain(real, tab, key)
      let closing: Promise<void> | undefined
      const wasThere = await atAwait(real, tab, count, () => {
        real.world.log(`${tab.name} is closed in the middle of it`)
        closing = close(real, tab)
      })
      if (!wasThere || closing === undefined) return
      real.world.count('close() at an await')
      await untilClosed(real, model, place, closing)
    },
  }),
)

const forgetAtAwait = fc
  .tuple(which, awaits, fc.option(fc.constantFrom('a', 'b')), nat, fc.boolean())
  .map(([index, count, key, call, isAll]) =>
    command({
      name: `forgetAtAwait(${index}, ${count}, ${key}, ${isAll ? 'all' : call})`,
      needs: [index, AWAKE],
      run: async (real, _, place) => {
        const tab = tabIn(real, place)
        if (key !== null) startPlain(real, tab, key)
        const callId = key === null ? callOf(tab, call) : tab.client.toolCallId('work', key)
        if (!isAll && callId === undefined) return
        await atAwait(real, tab, count, () => {
          real.world.count('forget() at an await')
          real.world.log(`${tab.name} forgets ${isAll ? 'all' : callId} in the middle of it`)
          forgetIn(real.world, tab, isAll ? 'all' : (callId ?? ''))
        })
      },
    }),
  )

/** A call of which nothing special is to be seen. */
function startPlain(real: Real, tab: Tab, key: string): void {
  const intervalsMs: readonly [number, number] = [1000, 1000]
  const rest = { answer: 'task', seconds: 3, outcome: 'success', ttlMs: null, obeysCancel: true } as const
  const call = { name: 'work', key, repeat: 'never', plan: { ...rest, intervalsMs, questions: [] } } as const
  real.calls.set(tab.client.toolCallId('work', key), call)
  real.world.count('keyed call')
  real.world.start(tab, call)
}

const freeze = which.map((index) =>
  command({
    name: `freeze(${index})`,
    fault: 'frozen',
    needs: [index, AWAKE],
    run: (real, model, place) => {
      real.world.count('frozen')
      const tab = tabIn(real, place)
      tab.isFrozen = true
      tab.page.freeze()
      model.places[place] = 'frozen'
    },
  }),
)

const cache = which.map((index) =>
  command({
    name: `cache(${index})`,
    fault: 'back-forward cache',
    needs: [index, AWAKE],
    run: async (real, model, place) => {
      real.world.count('back-forward cache')
      const tab = tabIn(real, place)
      await tab.page.hidePage()
      tab.isCached = true
      tab.cachedAt = real.world.now()
      tab.page.freeze()
      model.places[place] = 'cached'
    },
  }),
)

const wakeUp = which.map((index) =>
  command({
    name: `wake(${index})`,
    needs: [index, ['frozen', 'cached']],
    run: async (real, model, place) => {
      model.places[place] = 'awake'
      await wake(tabIn(real, place), real.world.browser.now())
    },
  }),
)

const online = fc.tuple(which, fc.boolean()).map(([index, isOnline]) =>
  command({
    name: `online(${index}, ${isOnline})`,
    fault: 'offline',
    needs: [index, OPEN],
    run: async (real, _, place) => {
      const tab = tabIn(real, place)
      if (tab.isOnline === isOnline) return
      tab.isOnline = isOnline
      if (!isOnline) {
        real.world.count('offline')
        real.world.network.disconnect(tab)
      }
      await tab.page.setOnline(isOnline)
    },
  }),
)

const visible = fc.tuple(which, fc.boolean()).map(([index, isVisible]) =>
  command({
    name: `visible(${index}, ${isVisible})`,
    fault: 'hidden',
    needs: [index, OPEN],
    run: async (real, _, place) => {
      const tab = tabIn(real, place)
      if (tab.isVisible === isVisible) return
      tab.isVisible = isVisible
      if (!isVisible) real.world.count('hidden')
      await tab.page.setVisible(isVisible)
    },
  }),
)

const advance = fc
  .oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 300, max: 4000 }), fc.constantFrom(8000, 20_000))
  .map((ms) => command({ name: `advance(${ms})`, run: ({ world }) => world.browser.advance(ms) }))

const settle = fc.constant(command({ name: 'settle()', run: ({ world }) => world.browser.settle() }))

const sleep = fc.integer({ min: 1000, max: 600_000 }).map((ms) =>
  command({
    name: `sleep(${ms})`,
    fault: 'sleep',
    run: ({ world }) => {
      world.count('sleep')
      world.sleep(ms)
    },
  }),
)

const setClock = fc.integer({ min: -300_000, max: 300_000 }).map((ms) =>
  command({
    name: `setClock(${ms})`,
    fault: ms < 0 ? 'clock set back' : 'clock set forward',
    run: ({ world }) => {
      world.count(ms < 0 ? 'clock set back' : 'clock set forward')
      world.setClock(ms)
    },
  }),
)

/** Records live for a week: a clock that was wrong by more would be a fault of its own. */
const DAY_MS = 24 * 60 * 60_000
const MAX_CORRECTION_MS = 2.5 * DAY_MS

const jumpByDay = fc.constantFrom(1, -1).map((days) =>
  command({
    name: `jump(${days} day)`,
    fault: 'clock jumps by a day',
    run: ({ world }) => {
      if (Math.abs(world.correction() + days * DAY_MS) > MAX_CORRECTION_MS) return
      world.count('clock jumps by a day')
      world.setClock(days * DAY_MS)
    },
  }),
)

const drift = fc.tuple(which, fc.integer({ min: -MAX_DRIFT_MS, max: MAX_DRIFT_MS })).map(([index, ms]) =>
  command({
    name: `drift(${index}, ${ms})`,
    fault: 'clocks of tabs drift apart',
    needs: [index, OPEN],
    run: (real, _, place) => {
      real.world.count('clocks of tabs drift apart')
      tabIn(real, place).aheadMs = ms
    },
  }),
)

const messageTrouble = fc
  .tuple(
    fc.oneof(
      fc.constant<MessageTrouble>({ kind: 'message delivered twice' }),
      fc.integer({ min: 20, max: LATEST_MS }).map((ms): MessageTrouble => ({ kind: 'message late', ms })),
      fc.constant<MessageTrouble>({ kind: 'message lost' }),
    ),
    fc.integer({ min: 1, max: 4 }),
  )
  .map(([trouble, times]) =>
    command({
      name: `${trouble.kind}(${'ms' in trouble ? `${trouble.ms}, ` : ''}${times}×)`,
      fault: trouble.kind,
      run: ({ world }) => world.messages.plan(trouble, times),
    }),
  )

const stealLock = fc.tuple(nat, fc.integer({ min: 0, max: 8000 })).map(([index, ms]) =>
  command({
    name: `stealLock(${index}, ${ms})`,
    fault: 'lock stolen',
    run: async ({ world }) => {
      const name = world.thief.steal(index, ms)
      if (name === undefined) return
      world.count('lock stolen')
      world.log(`somebody else takes the lock ${name}`)
      await world.browser.settle()
    },
  }),
)

const cutStreams = fc.constant(
  command({
    name: 'cutStreams()',
    fault: 'push cut',
    run: ({ world }) => {
      if (world.network.cutStreams() > 0) world.count('push cut')
    },
  }),
)

const restartServer = fc.constant(
  command({
    name: 'restartServer()',
    fault: 'server restarted, its task ids used again',
    run: ({ world }) => {
      world.count('server restarted, its task ids used again')
      world.restartServer()
    },
  }),
)

const storageTrouble = fc
  .constantFrom<(StorageTrouble | undefined)[]>(
    'throws',
    'full',
    'fails now and then',
    'loses writes',
    'never answers',
    undefined,
    undefined,
    undefined,
  )
  .map((kind) =>
    command({
      name: `storage(${kind ?? 'works'})`,
      fault: kind && (`storage ${kind}` satisfies PageFault),
      run: ({ world }) => {
        if (kind) world.count(`storage ${kind}` satisfies PageFault)
        world.storage.setTrouble(kind)
      },
    }),
  )

const clearStorage = fc.constant(
  command({
    name: 'clearStorage()',
    fault: 'storage cleared',
    run: ({ world }) => {
      world.count('storage cleared')
      world.storage.clear().map(({ callId }) => world.abandon(callId))
    },
  }),
)

const corrupt = fc.tuple(nat, fc.constantFrom('', '{', 'null', '{"v":2}', '{"v":1,"callId":7}')).map(([index, text]) =>
  command({
    name: `corrupt(${index}, ${text})`,
    fault: 'record corrupted',
    run: ({ world }) => {
      const record = world.storage.corrupt(index, text)
      if (record === undefined) return
      world.count('record corrupted')
      world.abandon(record.callId)
    },
  }),
)

const target = fc.constantFrom<FaultTarget[]>(
  'any',
  'tools/call',
  'tasks/get',
  'tasks/get',
  'tasks/cancel',
  'tasks/update',
  'server/discover',
)

const kinds = NETWORK_FAULTS.filter((kind) => !PUSH_FAULTS.some((one) => one === kind))
const faultOfRequests = fc.tuple(target, fc.constantFrom<NetworkFault[]>(...kinds))
const faultOfStreams = fc.tuple(
  fc.constant<FaultTarget>('subscriptions/listen'),
  fc.oneof(fc.constantFrom<NetworkFault[]>(...PUSH_FAULTS), fc.constantFrom<NetworkFault[]>(...kinds)),
)

const fault = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: faultOfRequests }, { weight: 1, arbitrary: faultOfStreams }),
    nat,
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([[to, kind], variant, times]) =>
    command({
      name: `fault(${to}, ${kind}, ${variant}, ${times}×)`,
      fault: kind,
      run: ({ world }) => {
        for (let time = 0; time < times; time++) world.network.plan({ target: to, kind, variant: variant + time })
      },
    }),
  )

const outage = fc
  .integer({ min: 100, max: 15_000 })
  .map((ms) =>
    command({ name: `outage(${ms})`, fault: 'request dropped', run: ({ world }) => world.network.outage(ms) }),
  )

function callOf(tab: Tab, index: number): string | undefined {
  const calls = Object.keys(tab.client.store.getState().calls)
  return calls[index % Math.max(1, calls.length)]
}

const answer = fc.tuple(which, nat, fc.constantFrom('this', 'that')).map(([index, question, text]) =>
  command({
    name: `answer(${index}, ${question}, ${text})`,
    needs: [index, AWAKE],
    run: (real, _, place) => {
      const tab = tabIn(real, place)
      const open = openInputRequests(tab)
      const [callId, inputKey] = open[question % Math.max(1, open.length)] ?? []
      if (callId === undefined || inputKey === undefined) return
      real.world.count('respond')
      real.world.answer(tab, callId, inputKey, text)
    },
  }),
)

/** The same input request, shown in several tabs and answered in two of them in the same instant. */
const answerInTwo = fc.tuple(which, nat).map(([index, question]) =>
  command({
    name: `answerInTwo(${index}, ${question})`,
    needs: [index, AWAKE],
    run: (real, _, place) => {
      const tab = tabIn(real, place)
      const open = openInputRequests(tab)
      const [callId, inputKey] = open[question % Math.max(1, open.length)] ?? []
      const isSame = ([id, key]: readonly [string, string]) => id === callId && key === inputKey
      const other = real.places.find((one) => one && one !== tab && isAwake(one) && openInputRequests(one).some(isSame))
      if (callId === undefined || inputKey === undefined || other === undefined) return
      real.world.count('respond in two tabs at once')
      real.world.answer(tab, callId, inputKey, 'this')
      real.world.answer(other, callId, inputKey, 'that')
    },
  }),
)

const cancel = fc.tuple(which, nat).map(([index, call]) =>
  command({
    name: `cancel(${index}, ${call})`,
    needs: [index, AWAKE],
    run: (real, _, place) => {
      const tab = tabIn(real, place)
      const callId = callOf(tab, call)
      if (callId === undefined) return
      real.world.count('cancel')
      tab.client
        .getToolCall(callId)
        ?.cancel()
        .catch(() => {})
    },
  }),
)

const lookAtEnded = fc.tuple(which, nat).map(([index, nth]) =>
  command({
    name: `look(${index}, ${nth})`,
    needs: [index, AWAKE],
    run: (real, _, place) => {
      const tab = tabIn(real, place)
      const ended = endedCalls(tab)
      if (ended.length === 0) return
      real.world.count('look at an ended call')
      look(real.world, tab, ended[nth % ended.length] ?? '')
    },
  }),
)

/** The app has the id of a task from elsewhere, and a page may follow it by that and by its call. */
const follow = fc.tuple(which, nat).map(([index, nth]) =>
  command({
    name: `follow(${index}, ${nth})`,
    needs: [index, AWAKE],
    run: (real, _, place) => {
      const { world } = real
      const tasks = [...world.server.tasks.keys()]
      const taskId = tasks[nth % Math.max(1, tasks.length)]
      if (taskId === undefined || world.isOfTwoVersions) return
      world.count('follow a task by its id')
      world.follow(tabIn(real, place), taskId)
    },
  }),
)

const forget = fc.tuple(which, nat, fc.boolean()).map(([index, call, isAll]) =>
  command({
    name: `forget(${index}, ${isAll ? 'all' : call})`,
    needs: [index, AWAKE],
    run: async (real, _, place) => {
      const { world } = real
      const tab = tabIn(real, place)
      const callId = callOf(tab, call)
      if (!isAll && callId === undefined) return
      world.count('forget')
      forgetIn(world, tab, isAll ? 'all' : (callId ?? ''))
    },
  }),
)

function forgetIn(world: World, { client }: Tab, what: string): void {
  if (what === 'all') world.forget(client, 'all', () => client.forget())
  else world.forget(client, [what], () => client.forget({ callId: what }))
}

/** A schedule. To add a command is to add a line. */
export function schedules(options: { maxCommands: number; replayPath?: string | undefined }) {
  const { maxCommands, replayPath } = options
  const weighted: [number, fc.Arbitrary<Command>][] = [
    [10, start],
    [10, advance],
    [1, settle],
    [5, openTab],
    [2, reload],
    [1, endTab],
    [1, crashLeader],
    [1, closeClient],
    [1, freeze],
    [1, cache],
    [3, wakeUp],
    [2, online],
    [2, visible],
    [1, sleep],
    [1, setClock],
    [2, storageTrouble],
    [1, clearStorage],
    [1, corrupt],
    [6, fault],
    [1, outage],
    [3, answer],
    [2, cancel],
    [2, lookAtEnded],
    [1, forget],
    [1, jumpByDay],
    [1, drift],
    [2, messageTrouble],
    [1, stealLock],
    [1, cutStreams],
    [1, restartServer],
    [3, answerInTwo],
    [1, closeAtAwait],
    [1, forgetAtAwait],
    [2, follow],
  ]
  const arbitraries = weighted.flatMap(([weight, arbitrary]) => Array.from({ length: weight }, () => arbitrary))
  return fc.commands(arbitraries, { maxCommands, size: 'max', ...(replayPath !== undefined && { replayPath }) })
}
