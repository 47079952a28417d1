import type { Bounds } from './smallWorld.js'

/** A bounded world, all orders of which are walked. */
export interface NamedWorld {
  readonly name: string
  readonly bounds: Bounds
  /** No way is longer. Without it, only the bounds end a way. */
  readonly maxDepth?: number
}

const two = { tabs: 2 } as const

/**
 * The worlds of `npm run universe`. Two tabs make one call under one key; the server answers it with a task. Those that may be too
 * large to be walked whole come last.
 */
export const WORLDS: readonly NamedWorld[] = [
  { name: 'one tab, two calls', bounds: { tabs: 1, calls: 2, time: 1 } },
  { name: 'two tabs, two calls', bounds: { ...two, calls: 2, time: 0 } },
  { name: 'three tabs', bounds: { tabs: 3, time: 0 } },
  { name: 'three tabs, a crash', bounds: { tabs: 3, time: 0, crash: 1 } },
  { name: 'two tabs', bounds: { ...two, time: 3 } },
  { name: 'a crash', bounds: { ...two, time: 2, crash: 1 } },
  { name: 'a lost message', bounds: { ...two, time: 2, lose: 1 } },
  { name: 'a late message', bounds: { ...two, time: 2, 'hold back': 1 } },
  { name: 'a crash and a lost message', bounds: { ...two, time: 1, crash: 1, lose: 1 } },
  { name: 'a reload', bounds: { ...two, time: 2, reload: 1 } },
  { name: 'a frozen tab', bounds: { ...two, time: 2, freeze: 1 } },
  { name: 'a lost request', bounds: { ...two, time: 2, 'drop request': 1 } },
  { name: 'a lost answer', bounds: { ...two, time: 2, 'drop answer': 1 } },
  { name: 'a clock that is set back', bounds: { ...two, time: 2, 'set the clock back': 1 } },
  { name: 'cancellation in both tabs', bounds: { ...two, time: 1, cancel: 2 } },
  { name: 'responses from both tabs', bounds: { ...two, time: 2, asks: true, respond: 2 } },
  { name: 'a reload while it asks', bounds: { ...two, time: 2, asks: true, respond: 1, reload: 1 } },
  { name: 'everything once, from the start', bounds: everything(), maxDepth: 9 },
  { name: 'everything once, while both follow', bounds: { ...everything(), isFollowed: true }, maxDepth: 7 },
]

/** What `npm test` walks: the client over the SDK once, and that of `taskwire/lite`, which takes less time. */
export const QUICK_WORLDS: readonly NamedWorld[] = [
  { name: 'two tabs', bounds: { ...two, time: 1 } },
  { name: 'everything once, from the start', bounds: { ...everything(), kind: 'lite' }, maxDepth: 5 },
  {
    name: 'everything once, while both follow',
    bounds: { ...everything(), kind: 'lite', isFollowed: true },
    maxDepth: 3,
  },
]

function everything(): Bounds {
  const once = { respond: 1, cancel: 1, crash: 1, reload: 1, freeze: 1, lose: 1, 'hold back': 1 }
  return { ...two, time: 3, asks: true, ...once, 'drop request': 1, 'drop answer': 1, 'set the clock back': 1 }
}
