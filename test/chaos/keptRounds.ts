import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ClientKind } from '../support/createClientOf.js'
import { EVENTS } from './faults.js'
import type { ChaosRound, ChaosRoundTotals } from './playRound.js'

/** What is kept of a round: the digest of all that happened, and how often what costs something did. */
export interface KeptRound {
  readonly digest: string
  readonly counts: Readonly<Record<string, number>>
}

/** The rounds that are kept. They are those that the tests play anyway. */
export const KEPT_ROUNDS: readonly ChaosRound[] = [
  ...[1, 2, 3, 12].map((seed) => ({ seed, runs: 100, twice: false })),
  { seed: 1, runs: 100, twice: true, kind: 'lite' },
]

const FILE = fileURLToPath(new URL('keptRounds.json', import.meta.url))

/** What stands for a round in the file. */
export function roundName({ seed, kind = 'full' }: { seed: number; kind?: ClientKind | undefined }): string {
  return `${kind}, seed ${seed}`
}

export function toKeptRound({ digest, counted }: ChaosRoundTotals): KeptRound {
  return { digest, counts: Object.fromEntries(EVENTS.map((event) => [event, counted[event]?.times ?? 0])) }
}

export function readKeptRounds(): Readonly<Record<string, KeptRound>> {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function writeKeptRounds(rounds: Readonly<Record<string, KeptRound>>): void {
  writeFileSync(FILE, `${JSON.stringify(rounds, null, 2)}\n`)
}
