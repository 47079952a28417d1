// What was played last against the client, from test/seeded/seen.json, which `--record` of npm run chaos, chaos:bridge,
// chaos:backend and universe writes. The tables stand between `<!-- universe -->` and `<!-- /universe -->`.

import { tableOf } from './budgets.mjs'

const place = /(<!-- universe -->\n\n).*?(\n?<!-- \/universe -->)/gs

/** @typedef {import('../test/seeded/seen.js').Seen} Seen */

/**
 * @param {string} markdown
 * @param {Seen} seen
 * @returns {{ text: string, problems: string[] }} the document as it should be, and what is wrong with the one that is there
 */
export function checkUniverse(markdown, { runs, worlds, processes }) {
  const played = Object.entries(runs)
  const overDatabases = Object.entries(processes)
  const runRows = played.map(([name, run]) => [
    name,
    run.commit,
    run.date,
    count(run.schedules),
    count(run.failures),
    run.settledWithinS === undefined ? '' : `${count(run.settledWithinS)} s`,
    String(run.hours),
  ])
  const worldRows = Object.entries(worlds).map(([name, world]) => [
    name,
    world.isWhole ? 'all' : `up to ${world.depth} steps`,
    count(world.states),
    count(world.steps),
    count(world.depth),
    count(world.ends),
    world.commit,
    String(world.hours),
  ])
  const processRows = overDatabases.map(([name, run]) => [
    name,
    count(run.calls),
    count(run.kills),
    count(run.stops),
    count(run.cancelled),
    count(run.interrupted),
    count(run.failures),
    run.commit,
    run.date,
  ])
  const commands = new Set([...played, ...overDatabases].map(([, { command }]) => `\`${command}\``))
  const right = [
    tableOf([
      ['played', 'commit', 'date', 'schedules', 'failures', 'ended within', 'hours of a processor'],
      ...runRows,
    ]),
    tableOf([
      ['processes over', 'calls', 'killed', 'frozen', 'cancelled', 'interrupted', 'failures', 'commit', 'date'],
      ...processRows,
    ]),
    `The commands: ${[...commands].join(', ')}.`,
    `What no schedule reached: ${neverReached(runs)}.`,
    tableOf([
      ['world', 'orders walked', 'states', 'steps', 'depth', 'ends', 'commit', 'hours of a processor'],
      ...worldRows,
    ]),
    tableOf([['what happens', 'schedules', 'times', 'lost', 'duplicated', 'unequal'], ...faultRows(runs)]),
  ].join('\n\n')
  const text = markdown.replace(place, (_, start) => `${start}${right}\n\n<!-- /universe -->`)
  const problem = 'the tables of what was played differ from test/seeded/seen.json: npm run docs:write.'
  return { text, problems: text === markdown ? [] : [problem] }
}

/**
 * The faults of all runs together.
 *
 * @param {Seen['runs']} runs
 */
function faultRows(runs) {
  /** @type {Map<string, number[]>} */
  const sums = new Map()
  for (const { faults = {} } of Object.values(runs)) {
    for (const [name, counts] of Object.entries(faults)) {
      const before = sums.get(name) ?? counts.map(() => 0)
      sums.set(
        name,
        before.map((sum, index) => sum + (counts[index] ?? 0)),
      )
    }
  }
  return [...sums].map(([name, counts]) => [name, ...counts.map(count)])
}

/**
 * What none of the runs that watch it has reached.
 *
 * @param {Seen['runs']} runs
 */
function neverReached(runs) {
  const lists = Object.values(runs).flatMap((run) => (run.neverReached === undefined ? [] : [run.neverReached]))
  const [first = [], ...others] = lists
  const never = first.filter((kind) => others.every((list) => list.includes(kind)))
  return never.length === 0 ? 'nothing' : never.map((kind) => `"${kind}"`).join(', ')
}

/** @param {number} number */
function count(number) {
  return number.toLocaleString('en')
}
