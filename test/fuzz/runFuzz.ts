import fc from 'fast-check'
import { CLIENT_CASES } from './clientCase.js'
import type { Spoil } from './clientWorld.js'
import type { Counts } from './kinds.js'
import { playClient, type Verdict } from './playClient.js'
import { playServer } from './playServer.js'
import { serverCases } from './serverCase.js'

export interface FuzzOptions {
  readonly target: FuzzTarget
  readonly runs: number
  readonly seed: number
  /** Where in the runs of the seed to begin: what a failure has printed. */
  readonly path?: string | undefined
  /** For the targets of the client: changes what its pages have. */
  readonly spoil?: Spoil
  /** Called with what a run has counted; not after the first that fails. */
  readonly onRun?: (counts: Counts) => void
}

/** An input, as small as it could be made, under which something went wrong. */
export interface FuzzFailure {
  readonly target: FuzzTarget
  readonly seed: number
  readonly path: string
  /** What went wrong, the input and what happened with it. */
  readonly report: string
}

type Play = (options: FuzzOptions) => Promise<FuzzFailure | undefined>

/** Lines of what happened that a report keeps. */
const TRACE_LINES = 150

const PLAYS = {
  modern: playing(CLIENT_CASES.modern, playClient),
  lite: playing(CLIENT_CASES.lite, playClient),
  legacy: playing(CLIENT_CASES.legacy, playClient),
  tabs: playing(CLIENT_CASES.tabs, playClient),
  storage: playing(CLIENT_CASES.storage, playClient),
  server: playing(serverCases, (one, counts) => playServer(one, counts)),
} satisfies Record<string, Play>

/**
 * What is fuzzed: the client by the responses of a server of either revision, that of taskwire/lite by those of the newer one, by the messages of tabs and by the
 * records in storage; the server by requests.
 */
export type FuzzTarget = keyof typeof PLAYS

export const TARGETS = Object.keys(PLAYS) as readonly FuzzTarget[]

/** Plays random runs. Returns the first that fails, made small, or undefined. */
export function runFuzz(options: FuzzOptions): Promise<FuzzFailure | undefined> {
  return PLAYS[options.target](options)
}

export function replayCommand({ target, seed, path }: FuzzFailure): string {
  return `To play it again: npm run fuzz -- --target ${target} --seed ${seed} --path '${path}'`
}

function playing<Case>(
  cases: fc.Arbitrary<Case>,
  play: (options: Case, counts: Counts, spoil?: Spoil) => Promise<Verdict>,
): Play {
  return async ({ target, runs, seed, path, spoil, onRun }) => {
    let hasFailed = false
    const property = fc.asyncProperty(cases, async (one) => {
      const counts: Counts = { runs: 1 }
      const { breaches, trace } = await play(one, counts, spoil)
      if (!hasFailed) onRun?.(counts)
      if (breaches.length === 0) return
      hasFailed = true
      const shown = trace.length > TRACE_LINES ? [...trace.slice(0, TRACE_LINES), '…'] : trace
      throw new Error([...breaches, '', ...shown].join('\n'))
    })
    const details = await fc.check(property, { numRuns: runs, seed, ...(path !== undefined && { path }), verbose: 0 })
    if (!details.failed) return undefined
    const { counterexample, counterexamplePath, errorInstance } = details
    const report = `${String(errorInstance)}\ninput: ${fc.stringify(counterexample?.[0])}`
    return { target, seed, path: counterexamplePath ?? '', report }
  }
}
