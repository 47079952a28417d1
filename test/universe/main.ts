import { playRounds } from '../seeded/playRounds.js'
import { hoursOf, keepSeen, playedNow } from '../seeded/seen.js'
import { table } from '../seeded/table.js'
import { readOptions } from '../support/readOptions.js'
import { play } from './explore.js'
import { formatFailure } from './formatFailure.js'
import { judgeSmall } from './judgeSmall.js'
import type { UniverseRound, WalkedWorld } from './worker.js'
import { QUICK_WORLDS, WORLDS } from './worlds.js'

// Every order of what can happen in small worlds: `npm run universe`. Prints how many states each has, how deep it is and
// which pairs of the stage of a call and what came then were reached; a failure prints the way that led to it.

const { values } = readOptions('universe', {
  '--world NAME': 'only this one',
  '--states N': 'ends a world after so many states, which is then not complete',
  '--minutes N': 'ends a world after so many minutes, half of which it judges what it has reached',
  '--quick': 'the worlds of npm test',
  '--lite': 'with the client of taskwire/lite',
  '--record': 'keeps what came of it for docs/project/durability.md, which `npm run docs:write` writes',
  "--play 'STEP; …'": 'walks one way of a world and prints what comes of it',
})
const kind = values.lite ? 'lite' : 'full'
const known = values.quick ? QUICK_WORLDS : WORLDS
const worlds = known.filter(({ name }) => values.world === undefined || name === values.world)
const [first] = worlds
if (first === undefined) {
  console.error(`There is no such world. There are:\n${known.map(({ name }) => name).join('\n')}`)
  process.exit(2)
}

if (values.play !== undefined) {
  process.env['NODE_ENV'] = 'production'
  const steps = values.play.split('; ').filter((step) => step !== '')
  const world = await play({ ...first.bounds, kind }, steps)
  console.log(`then: ${world.steps().join('; ')}`)
  await judgeSmall(world)
  console.log(
    world.breaches.length > 0 ? formatFailure(first.name, { steps, breaches: world.breaches }) : 'all is well',
  )
  process.exit(world.breaches.length > 0 ? 1 : 0)
}

const maxStates = values.states === undefined ? undefined : Number(values.states)
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
const rounds = worlds.map((world): UniverseRound => ({ ...world, kind, maxStates, minutes }))
const walked: (WalkedWorld & { readonly hours: number })[] = []
const failures = await playRounds<UniverseRound, WalkedWorld>({
  worker: 'test/universe/worker.ts',
  rounds,
  roundsPerProcess: 1,
  onRound: (world, cpuSeconds) => {
    walked.push({ ...world, hours: hoursOf(cpuSeconds) })
    return `${walked.length} of ${rounds.length} worlds`
  },
})

const inOrder = worlds.flatMap(({ name }) => walked.find((world) => world.name === name) ?? [])
const rows = inOrder.map(({ name, states, transitions, wholeDepth, ends, never, isComplete, seconds }) => [
  name,
  isComplete ? 'all' : `up to ${wholeDepth} steps`,
  states,
  transitions,
  wholeDepth,
  ends,
  never.join(', '),
  seconds,
])
console.log(table(['world', 'orders walked', 'states', 'steps', 'depth', 'ends', 'never happened', 'seconds'], rows))
const reached = new Set(inOrder.flatMap((world) => world.reached))
console.log(`\nPairs of a stage and what came then: ${reached.size}\n${[...reached].sort().join('\n')}`)
if (values.record) {
  const worlds = inOrder.map(({ name, states, transitions, wholeDepth, ends, isComplete, hours }) => {
    const walked = { states, steps: transitions, depth: wholeDepth, isWhole: isComplete, ends, hours }
    return [kind === 'lite' ? `${name}, \`taskwire/lite\`` : name, { ...playedNow(), ...walked }] as const
  })
  if (failures === 0) keepSeen({ worlds: Object.fromEntries(worlds) })
}
process.exitCode = failures > 0 ? 1 : 0
