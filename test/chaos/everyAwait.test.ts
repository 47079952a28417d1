import { describe, expect, it } from 'vitest'
import { createTally } from './faults.js'
import { openInputRequests } from './tab.js'
import { judge } from './verdict.js'
import { createWorld, type World } from './world.js'

const MINUTES = 5 * 60_000
const PLAN = { answer: 'task', seconds: 2, outcome: 'success', ttlMs: null, obeysCancel: true } as const
const CALL = {
  name: 'work',
  key: 'a',
  repeat: 'never',
  plan: { ...PLAN, intervalsMs: [1000, 1000], questions: ['size'] },
} as const

/** Two tabs that make a call which asks something. `act` runs after so many things that the first has done. */
async function play(kind: 'full' | 'lite', seed: number, count: number, act: (world: World) => void) {
  const world = createWorld(
    { seed, resume: 'eager', tabs: 'together', storage: 'local', hidden: 'continue', faults: [] },
    createTally(),
    { kind },
  )
  const [first, second] = [world.openTab(), world.openTab()]
  for (const { client } of [first, second]) client.connect().catch(() => {})
  let isThere = false
  world.atAwait(first, count, () => {
    isThere = true
    act(world)
  })
  for (const tab of [first, second]) world.start(tab, CALL)
  for (let waited = 0; waited < 6000; waited += 500) {
    await world.browser.advance(500)
    const [asking, input] =
      [first, second].flatMap((tab) => openInputRequests(tab).map((one) => [tab, one] as const))[0] ?? []
    if (asking !== undefined && input !== undefined && !asking.isClosed) world.answer(asking, ...input, 'this')
  }
  world.atAwait(first, 0)
  await judge(world)
  return { isThere, breaches: world.breaches }
}

const close = ({ tabs: [tab], ended }: World) => {
  if (tab === undefined) return
  tab.isClosed = true
  ended(tab)
  void tab.client.close()
}

const forget = (world: World) => {
  const [tab] = world.tabs
  if (tab === undefined) return
  const callId = tab.client.toolCallId(CALL.name, CALL.key)
  world.forget(tab.client, [callId], () => tab.client.forget({ callId }))
}

const forgetAll = (world: World) => {
  const [tab] = world.tabs
  if (tab !== undefined) world.forget(tab.client, 'all', () => tab.client.forget())
}

describe.each(['full', 'lite'] as const)('at every await of a call that asks something (%s)', (kind) => {
  it.each([
    ['close()', close],
    ['forget() of the call', forget],
    ['forget() of all', forgetAll],
  ])(
    '[DUR-99] %s leaves nothing behind, runs the tool at most once and loses nothing',
    async (_, act) => {
      let count = 0
      for (const seed of [0, 6]) {
        for (let isThere = true; isThere; ) {
          const played = await play(kind, seed, ++count, act)
          expect(played.breaches, `after ${count} things that the page has done`).toEqual([])
          isThere = played.isThere
        }
        expect(count).toBeGreaterThan(30)
        count = 0
      }
    },
    MINUTES,
  )
})
