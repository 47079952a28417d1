import { parseRun } from '../seeded/parseRun.js'
import { playProcesses } from './processChaos.js'

// Real processes of a backend over real databases, killed and frozen: `npm run chaos:backend -- --runs 1000`.
//
//     --runs N         how many calls, 200 by default
//     --seed N         a random one by default
//     --database NAME  redis or postgres; both without it

const { runs, seed, extra } = parseRun('chaos:backend', 200, ['database'])
const kinds = extra.database === undefined ? (['redis', 'postgres'] as const) : [extra.database as 'redis' | 'postgres']
for (const kind of kinds) {
  const startedAt = Date.now()
  const { problems, ...counts } = await playProcesses({ kind, calls: runs, seed })
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(`${kind}: ${runs} calls from seed ${seed} in ${seconds} s`, JSON.stringify(counts))
  for (const problem of problems) console.error(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
process.exit()
