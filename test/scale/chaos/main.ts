// `npm run chaos:scale -- [--tasks 1000] [redis] [postgres]`: prints what came of it, each way to end, and all of it as the
// table of docs/scale.md; fails where something broke.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import type { Backend } from './parts.js'
import { runScaleChaos, type ScaleChaosReport } from './runScaleChaos.js'

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { tasks: { type: 'string', default: '1000' } },
  allowPositionals: true,
})
const backends = positionals.length === 0 ? (['redis', 'postgres'] as const) : (positionals as Backend[])
const reports: ScaleChaosReport[] = []

for (const backend of backends) {
  const options = { backend, tasks: Number(values.tasks), webs: 3, workers: 3, faultEveryMs: 1500, patienceMs: 120_000 }
  const report = await runScaleChaos(options)
  reports.push(report)
  console.log(`\n${backend}: ${values.tasks} calls, ${report.seconds.toFixed(0)} s`)
  for (const [how, count] of Object.entries(report.ended)) console.log(`  ${how}: ${count}`)
  if (Object.values(report.broken).some((count) => count > 0)) process.exitCode = 1
}
console.log(`\n${table()}`)
process.exit()

function table(): string {
  const date = new Date().toISOString().slice(0, 10)
  const lines = [
    [`${date}, ${cpus().length} cores`, ...backends],
    ['calls', ...reports.map(() => values.tasks)],
    ...rows(({ broken }) => broken),
    ...rows(({ faults }) => faults),
    ...rows(({ ended }) => ({
      completed: ended['completed'] ?? 0,
      'failed, and said why': sum(ended, /^failed/),
      'calls whose answer was lost or was an error': ended['calls without an answer'] ?? 0,
    })),
    ['seconds', ...reports.map(({ seconds }) => seconds.toFixed(0))],
  ]
  const rule = ['---', ...backends.map(() => '---:')]
  const [head = [], ...body] = lines
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** A row for each figure that any of the reports has. */
function rows(of: (report: ScaleChaosReport) => Record<string, number>): string[][] {
  const names = new Set(reports.flatMap((report) => Object.keys(of(report))))
  return [...names].map((name) => [name, ...reports.map((report) => String(of(report)[name] ?? 0))])
}

function sum(ended: Record<string, number>, pattern: RegExp): number {
  return Object.entries(ended).reduce((total, [how, count]) => (pattern.test(how) ? total + count : total), 0)
}
