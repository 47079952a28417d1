import { judgeSmall } from './judgeSmall.js'
import { type Bounds, createSmallWorld, type Limited, type SmallWorld } from './smallWorld.js'

export interface Exploration {
  /** States that differ in anything that a page, the server or a check could see. */
  readonly states: number
  /** Steps that led from one to another, or to the same one by another way. */
  readonly transitions: number
  /** Steps of the longest way. */
  readonly depth: number
  /** Every way of so many steps was walked. */
  readonly wholeDepth: number
  /** Ways that were judged: nothing more could happen within the bounds, or the world was cut there. */
  readonly ends: number
  /** What the bounds allow and no way had: of that, the world says nothing. */
  readonly never: readonly string[]
  /** True if every order within the bounds was walked. */
  readonly isComplete: boolean
  readonly reached: ReadonlySet<string>
  readonly failure?: ExploreFailure | undefined
}

/** A way under which something went wrong, and what. */
export interface ExploreFailure {
  readonly steps: readonly string[]
  readonly breaches: readonly string[]
}

export interface ExploreOptions {
  readonly bounds: Bounds
  /** @default no limit */
  readonly maxStates?: number | undefined
  readonly maxDepth?: number | undefined
  /** When to stop walking and judge what was reached, on the clock of `performance.now()`. @default never */
  readonly walkUntil?: number | undefined
  /** When to stop judging that. @default never */
  readonly judgeUntil?: number | undefined
}

/** Plays a way from the beginning: the world of a page cannot be copied. */
export async function play(bounds: Bounds, steps: readonly string[]): Promise<SmallWorld> {
  const world = createSmallWorld(bounds)
  await world.settle()
  if (bounds.isFollowed) await follow(world)
  world.beginBounds()
  for (const step of steps) await world.take(step)
  return world
}

async function follow(world: SmallWorld): Promise<void> {
  const names = ['start in A', 'start in B', 'lock for A', 'tools/call A.1 arrives', 'answer to tools/call A.1']
  for (const name of names) await world.take(name)
  for (;;) {
    const next = world.steps().find((step) => /^(deliver|lock)/.test(step))
    if (next === undefined) return
    await world.take(next)
  }
}

/** Ends the pages of a world that is not walked any further. */
function drop(world: SmallWorld): void {
  for (const tab of world.tabs) tab.isAlive = false
}

/** A state that is to be walked on from: the way to it, and its world while there is room for it. */
interface Reached {
  readonly steps: readonly string[]
  world: SmallWorld | undefined
}

/** A prime: what there is not the time to judge is spread over all that was reached. */
const STRIDE = 7919

/** Worlds that are kept: the others are played again when their turn comes. */
const MAX_KEPT = 1000

/**
 * Walks every order of what can happen within the bounds, shorter ways first. Two ways lead to the same state if each page
 * received the same, in the same order and at the same times, and if all that pages share is equal: then it is walked once.
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { bounds, maxStates = Number.POSITIVE_INFINITY, maxDepth = Number.POSITIVE_INFINITY } = options
  const { walkUntil = Number.POSITIVE_INFINITY, judgeUntil = Number.POSITIVE_INFINITY } = options
  const seen = new Set<string>()
  const reached = new Set<string>()
  const used = new Set<Limited>()
  let transitions = 0
  let ends = 0
  let wholeDepth = 0
  let failure: ExploreFailure | undefined
  let kept = 0

  function fail(steps: readonly string[], world: SmallWorld): void {
    failure ??= { steps, breaches: world.breaches }
  }

  const isOver = () => failure !== undefined || seen.size >= maxStates || performance.now() >= walkUntil

  function note(world: SmallWorld): void {
    for (const pair of world.reached) reached.add(pair)
    for (const limited of world.used) used.add(limited)
  }

  async function judge(world: SmallWorld, steps: readonly string[]): Promise<void> {
    ends++
    await judgeSmall(world)
    if (world.breaches.length > 0) fail(steps, world)
    note(world)
    drop(world)
  }

  /** Takes every step that a state has. Returns the new states that they lead to. */
  async function walk(from: Reached): Promise<Reached[]> {
    const { steps } = from
    let world: SmallWorld | undefined = from.world ?? (await play(bounds, steps))
    if (from.world !== undefined) kept--
    from.world = undefined
    const names = world.steps()
    if (names.length === 0 || steps.length >= maxDepth) {
      await judge(world, steps)
      return []
    }
    const found: Reached[] = []
    for (const name of names) {
      if (isOver()) break
      const next: SmallWorld = world ?? (await play(bounds, steps))
      world = undefined
      await next.take(name)
      transitions++
      const way = [...steps, name]
      note(next)
      if (next.breaches.length > 0) fail(way, next)
      const print = next.fingerprint()
      const isNew = !seen.has(print)
      seen.add(print)
      const isKept = isNew && kept < MAX_KEPT
      if (isKept) kept++
      else drop(next)
      if (isNew) found.push({ steps: way, world: isKept ? next : undefined })
    }
    if (world !== undefined) drop(world)
    return found
  }

  const first = await play(bounds, [])
  seen.add(first.fingerprint())
  let level: Reached[] = [{ steps: [], world: first }]
  kept = 1
  let depth = 0
  let isCutByDepth = false
  while (level.length > 0 && !isOver()) {
    const next: Reached[] = []
    for (const [index, state] of level.entries()) {
      if (isOver()) {
        next.push(...level.slice(index))
        break
      }
      next.push(...(await walk(state)))
    }
    if (!isOver()) wholeDepth = depth
    if (depth >= maxDepth && level.length > 0) isCutByDepth = true
    if (next.length > 0) depth++
    level = next
  }
  const isComplete = !isCutByDepth && level.length === 0 && failure === undefined
  for (const index of level.keys()) {
    const state = level[(index * STRIDE) % level.length]
    if (state === undefined || failure !== undefined || performance.now() >= judgeUntil) break
    await judge(state.world ?? (await play(bounds, state.steps)), state.steps)
    state.world = undefined
  }
  for (const { world } of level) if (world !== undefined) drop(world)
  const never = Object.entries(bounds)
    .filter(([name, most]) => typeof most === 'number' && most > 0 && name !== 'tabs' && name !== 'calls')
    .flatMap(([name]) => (used.has(name as Limited) ? [] : [name]))
  return { states: seen.size, transitions, depth, wholeDepth, ends, never, isComplete, reached, failure }
}
