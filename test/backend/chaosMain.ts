import { parseRun } from '../seeded/parseRun.js'
import { keepSeen, playedNow } from '../seeded/seen.js'
import { keepCoreBusy } from './busyCore.js'
import { playProcesses } from './processChaos.js'

// Real processes of a backend over real databases, killed and frozen: `npm run chaos:backend -- --runs 1000`.
//
//     --runs N         how many calls, 200 by default; in about a third of them, a second page starts the same call
//     --seed N         a random one by default
//     --database NAME  redis or postgres; both without it
//     --rate N         how many calls are started in a second, 12 by default: fewer where the machine is busy with something else, since
//                      processes that cannot keep up lose their leases, and so take longer still
//     --load           on one core, on which another process computes all the time (Linux): then time passes in the middle of what
//                      takes none on an idle machine, and more calls are caught there by a kill
//     --record         keeps what came of it for the tables of docs/project/durability.md, which `npm run docs:write` writes

const { runs, seed, extra, flags } = parseRun('chaos:backend', 200, ['database', 'rate'], ['load', 'record'])
const free = flags.load ? keepCoreBusy() : () => {}
const rate = extra.rate === undefined ? undefined : Number(extra.rate)
const kinds = extra.database === undefined ? (['redis', 'postgres'] as const) : [extra.database as 'redis' | 'postgres']
for (const kind of kinds) {
  const startedAt = Date.now()
  const { problems, ...counts } = await playProcesses({
    ...{ kind, calls: runs, seed },
    ...(rate !== undefined && { rate }),
    ...(flags.load && { onTheWayMs: 10_000 }),
  })
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(`${kind}: ${runs} calls from seed ${seed} in ${seconds} s`, JSON.stringify(counts))
  for (const problem of problems) console.error(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
  if (!flags.record) continue
  const command = `npm run chaos:backend -- --runs ${runs} --seed ${seed}${rate === undefined ? '' : ` --rate ${rate}`}${flags.load ? ' --load' : ''}`
  const played = { command, ...playedNow(), calls: runs, ...counts, failures: problems.length }
  keepSeen({ processes: { [kind === 'redis' ? 'Redis' : 'Postgres']: played } })
}
free()
process.exit()
