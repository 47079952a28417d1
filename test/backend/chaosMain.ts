import { parseRun } from '../seeded/parseRun.js'
import { keepSeen, playedNow } from '../seeded/seen.js'
import { keepCoreBusy } from './busyCore.js'
import { playProcesses } from './processChaos.js'

// Real processes of a backend over real databases, killed and frozen: `npm run chaos:backend -- --runs 1000`.

// `--load`: time passes in the middle of what takes none on an idle machine, and more calls are caught there by a kill. A machine that
// is busy with something else wants a lower `--rate`: processes that cannot keep up lose their leases, and so take longer still.

const { runs, seed, values } = parseRun('chaos:backend', 200, {
  '--runs N': 'how many calls, 200 by default; in about a third of them, a second page starts the same call',
  '--seed N': 'a random one by default',
  '--database NAME': 'redis or postgres; both without it',
  '--rate N': 'how many calls are started in a second, 12 by default; fewer where the machine is busy',
  '--load': 'on one core, on which another process computes all the time (Linux)',
  '--record': 'keeps what came of it for docs/project/durability.md, which `npm run docs:write` writes',
})
const free = values.load ? keepCoreBusy() : () => {}
const rate = values.rate === undefined ? undefined : Number(values.rate)
const kinds =
  values.database === undefined ? (['redis', 'postgres'] as const) : [values.database as 'redis' | 'postgres']
for (const kind of kinds) {
  const startedAt = Date.now()
  const { problems, ...counts } = await playProcesses({
    ...{ kind, calls: runs, seed },
    ...(rate !== undefined && { rate }),
    ...(values.load && { onTheWayMs: 10_000 }),
  })
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(`${kind}: ${runs} calls from seed ${seed} in ${seconds} s`, JSON.stringify(counts))
  for (const problem of problems) console.error(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
  if (!values.record) continue
  const command = `npm run chaos:backend -- --runs ${runs} --seed ${seed}${rate === undefined ? '' : ` --rate ${rate}`}${values.load ? ' --load' : ''}`
  const played = { command, ...playedNow(), calls: runs, ...counts, failures: problems.length }
  keepSeen({ processes: { [kind === 'redis' ? 'Redis' : 'Postgres']: played } })
}
free()
process.exit()
