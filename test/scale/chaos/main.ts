// `npm run chaos:scale` prints what came of it, each way to end, and all of it as the table of docs/project/scale.md; fails where
// something broke.
import { cpus } from 'node:os'
import { readOptions } from '../../support/readOptions.js'
import type { Backend } from './documentedFiles.js'
import { runScaleChaos, type ScaleChaosReport } from './runScaleChaos.js'

const { values, positionals } = readOptions(
  'chaos:scale',
  {
    '--tasks N': 'how many calls, 1,000 by default',
    '--minutes N': 'how long they are spread over, 5 by default',
    '--processes N': 'how many web processes, and how many workers, 3 by default',
    '--seed N,N': 'a run for each, 1 by default',
  },
  '[redis] [postgres]',
)
const { tasks = '1000', minutes = '5', processes = '3', seed: seeds = '1' } = values
const backends = positionals.length === 0 ? (['redis', 'postgres'] as const) : (positionals as Backend[])
const runs = backends.flatMap((backend) => seeds.split(',').map((seed) => ({ backend, seed: Number(seed) })))
const reports: ScaleChaosReport[] = []

for (const { backend, seed } of runs) {
  const play = {
    tasks: Number(tasks),
    webs: Number(processes),
    workers: Number(processes),
    faultEveryMs: 1000,
    spreadMs: Number(minutes) * 60_000,
    patienceMs: 180_000,
  }
  const report = await runScaleChaos({ backend, seed, ...play })
  reports.push(report)
  console.log(`\n${backend}, seed ${seed}: ${tasks} calls, ${report.seconds.toFixed(0)} s`)
  for (const [how, count] of Object.entries(report.ended)) console.log(`  ${how}: ${count}`)
  for (const story of report.stories) console.log(`  broken: ${story}`)
  if (Object.values(report.broken).some((count) => count > 0)) process.exitCode = 1
  console.log(`\n${table()}`)
}
process.exit()

function table(): string {
  const date = new Date().toISOString().slice(0, 10)
  const played = runs.slice(0, reports.length)
  const lines = [
    [`${date}, ${cpus().length} cores`, ...played.map(({ backend, seed }) => `${backend}, seed ${seed}`)],
    ['calls', ...reports.map(() => tasks)],
    ...rows(({ broken }) => broken),
    ...rows(({ faults }) => faults),
    ...rows(({ ended }) => ({
      completed: ended['completed'] ?? 0,
      'failed, and said why': sum(ended, /^failed/),
      'refusals with 503 or 429': ended['refusals with 503 or 429'] ?? 0,
    })),
    ['seconds', ...reports.map(({ seconds }) => seconds.toFixed(0))],
  ]
  const rule = ['---', ...reports.map(() => '---:')]
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
