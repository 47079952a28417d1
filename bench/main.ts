// `npm run bench` measures everything and writes bench/results.md, and bench/server.md of the group for the server, which
// `-- server` alone writes, too. `-- --quick` is rough, and `-- bytes polls` names groups: both only print.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { exit, version } from 'node:process'
import { VERSION } from '../src/core/protocol/version.js'
import { bridge } from './bridge.js'
import { bytes } from './bytes.js'
import { polls } from './polls.js'
import { pool } from './pool.js'
import { push } from './push.js'
import { records } from './records.js'
import { renders } from './renders.js'
import { requests } from './requests.js'
import { server } from './server.js'
import { starts } from './starts.js'
import { GIVE_UP_MS } from './support/limits.js'
import { markdown, missed, type Table } from './support/report.js'
import { createRunner, type Group } from './support/runner.js'

const OF_CLIENT = [
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/ext-tasks',
  'react',
  '@tanstack/react-query',
  'vite',
]

const groups: Record<string, Group> = { bytes, polls, starts, renders, requests, records, push, pool, bridge, server }

const words = process.argv.slice(2)
const isQuick = words.includes('--quick')
const names = words.filter((word) => word !== '--quick')
const unknown = names.find((name) => !(name in groups))
if (unknown !== undefined) {
  console.error(`There is no group ${unknown}. The groups are: ${Object.keys(groups).join(', ')}.`)
  exit(2)
}

const runner = await createRunner(isQuick)
const tables: Table[] = []
const ofServer: Table[] = []
for (const [name, measure] of Object.entries(groups)) {
  if (names.length > 0 && !names.includes(name)) continue
  for (const table of await measure(runner)) {
    const kept = name === 'server' ? ofServer : tables
    kept.push(table)
    console.log(markdown(table))
  }
}
console.log(missed([...tables, ...ofServer]))

if (!isQuick && names.length === 0) writeFileSync('bench/results.md', report(tables))
if (!isQuick && ofServer.length > 0) writeFileSync('bench/server.md', serverReport(ofServer))
exit(0)

function report(tables: readonly Table[]): string {
  const introduction = `# Benchmarks

Written by \`npm run bench\`; those of the server are in [server.md](server.md). All that a table compares was measured in the same run, CPU and heap in processes of their own,
one after the other, medians of three rounds. Ratios are what counts: the figures are those of one machine. Time is a clock
that the benchmark drives. CPU and heap are printed only; bytes, renders and polls are the same everywhere, and
\`npm run check\` enforces them. "Gave up" is a measurement that took more than ${GIVE_UP_MS / 1000} s of CPU.

${versions()}
`
  return [introduction, ...tables.map(markdown), missed(tables)].join('\n').trimEnd().concat('\n')
}

function serverReport(tables: readonly Table[]): string {
  const introduction = `# Benchmarks of the server

Written by \`npm run bench -- server\`. Requests are passed to \`fetch\` by 16 loops of the same process, without a network; databases
are on the same machine. Medians of nine rounds, three for streams. Ratios are what counts: the figures are those of one machine, which had
${cpus().length} cores and a load of ${(loadavg()[1] ?? 0).toFixed(1)} meanwhile.

${versions(['@modelcontextprotocol/server', 'ioredis', 'pg', 'bullmq'])}
`
  return [introduction, ...tables.map(markdown), missed(tables)].join('\n').trimEnd().concat('\n')
}

function versions(packages: readonly string[] = OF_CLIENT): string {
  const installed = packages.map((name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }
    return `${name} ${version}`
  })
  return [`Taskwire ${VERSION}`, `Node ${version.slice(1)}`, ...installed].join(', ').concat('.')
}
