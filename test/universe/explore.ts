import { judgeSmall } from './judgeSmall.js'
import { type Bounds, createSmallWorld, type SmallWorld } from './smallWorld.js'

export interface Exploration {
  /** States that differ in anything that a page, the server or a check could see. */
  readonly states: number
  /** Steps that led from one to another, or to the same one by another way. */
  readonly transitions: number
  /** Steps of the longest way. */
  readonly depth: number
  /** Ways to their end: nothing more could happen within the bounds. */
  readonly ends: number
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
  readonly onProgress?: (states: number) => void
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

/**
 * Walks every order of what can happen within the bounds, depth first. Two ways lead to the same state if each page
 * received the same, in the same order and at the same times, and if all that pages share is equal: then it is walked once.
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { bounds, maxStates = Number.POSITIVE_INFINITY, maxDepth = Number.POSITIVE_INFINITY, onProgress } = options
  const seen = new Set<string>()
  const reached = new Set<string>()
  let transitions = 0
  let depth = 0
  let ends = 0
  let isComplete = true
  let failure: ExploreFailure | undefined

  function fail(steps: readonly string[], world: SmallWorld): void {
    failure ??= { steps, breaches: world.breaches }
  }

  /** Walks on from a world that has just got to a new state. */
  async function walk(from: SmallWorld, steps: readonly string[]): Promise<void> {
    let world: SmallWorld | undefined = from
    depth = Math.max(depth, steps.length)
    if (seen.size % 100 === 0) onProgress?.(seen.size)
    const names = from.steps()
    const isEnd = names.length === 0 || steps.length >= maxDepth
    if (steps.length >= maxDepth && names.length > 0) isComplete = false
    if (isEnd) {
      ends++
      await judgeSmall(from)
      if (from.breaches.length > 0) fail(steps, from)
      for (const pair of from.reached) reached.add(pair)
      return drop(from)
    }
    for (const name of names) {
      if (failure !== undefined) return
      if (seen.size >= maxStates) {
        isComplete = false
        break
      }
      const next: SmallWorld = world ?? (await play(bounds, steps))
      world = undefined
      await next.take(name)
      transitions++
      if (next.breaches.length > 0) return fail([...steps, name], next)
      const print = next.fingerprint()
      for (const pair of next.reached) reached.add(pair)
      if (seen.has(print)) drop(next)
      else {
        seen.add(print)
        await walk(next, [...steps, name])
      }
    }
    if (world !== undefined) drop(world)
  }

  const first = await play(bounds, [])
  seen.add(first.fingerprint())
  await walk(first, [])
  return { states: seen.size, transitions, depth, ends, isComplete, reached, failure }
}
