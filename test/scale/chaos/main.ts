// `npm run chaos:scale -- [--tasks 1000] [redis] [postgres]`: prints what came of it as a table; fails where something broke.
import { parseArgs } from 'node:util'
import type { Backend } from './parts.js'
import { runScaleChaos } from './runScaleChaos.js'

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { tasks: { type: 'string', default: '1000' } },
  allowPositionals: true,
})
const backends = positionals.length === 0 ? (['redis', 'postgres'] as const) : (positionals as Backend[])

for (const backend of backends) {
  const options = { backend, tasks: Number(values.tasks), webs: 3, workers: 3, faultEveryMs: 1500, patienceMs: 120_000 }
  const { broken, faults, ended, seconds } = await runScaleChaos(options)
  console.log(`\n${backend}: ${values.tasks} calls, ${seconds.toFixed(0)} s`)
  for (const rows of [broken, faults, ended]) {
    for (const [row, count] of Object.entries(rows)) console.log(`| ${row} | ${count} |`)
  }
  if (Object.values(broken).some((count) => count > 0)) process.exitCode = 1
}
process.exit()
