import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sleep } from '../../../server/base/sleep.js'
import { readArguments, readHeaders, readSeconds } from '../arguments.js'
import { clean } from '../clean.js'
import { CliError } from '../cliError.js'
import { type Command, FAILED, FOUND, OK, type Terminal } from '../terminal.js'
import { type ListedTool, listTools } from './listTools.js'
import { type Compile, loadCompile } from './loadCompile.js'
import { compareHashes, readHashes, writeModule } from './writeModule.js'

const HELP = `Usage: npx taskwire types <url | file> [options]

Generates a TypeScript module with the types of a server's tools, or of the tools in a JSON file { "tools": [ … ] }.

  --out <file>          where to write it (src/taskwire.gen.ts)
  --header <header>     'Name: value', sent with every request; may be repeated
  --check               write nothing; the exit code is 1 if the tools have changed
  --watch               check again and again, and write when the tools have changed
  --interval <seconds>  how often to check (5)

Exit code: 0 written or up to date, 1 changed or no tools, 2 failed.`

const OPTIONS = {
  out: { type: 'string', default: 'src/taskwire.gen.ts' },
  header: { type: 'string', multiple: true },
  check: { type: 'boolean' },
  watch: { type: 'boolean' },
  interval: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const INTERVAL_MS = 5000

/** `npx taskwire types`. */
export const types: Command = async (args, terminal) => {
  const { values, target } = readArguments(args, OPTIONS, 'types')
  if (values.help) {
    terminal.print(HELP)
    return OK
  }
  if (target === undefined) throw new CliError('Which server? Pass its URL: npx taskwire types https://api.example/mcp')
  if (values.check && values.watch) throw new CliError('--check and --watch cannot be combined. Leave one out.')
  const headers = readHeaders(values.header ?? [])
  const intervalMs = readSeconds('interval', values.interval, INTERVAL_MS)
  const list = () => listTools(target, headers, terminal)

  if (values.check) return check(values.out, await list(), terminal)
  const compile = await loadCompile()
  await write(values.out, await list(), compile, terminal)
  if (values.watch) await watch(values.out, list, compile, { ...terminal, intervalMs })
  return OK
}

async function check(out: string, tools: readonly ListedTool[], { print, warn }: Terminal): Promise<number> {
  const before = await readModule(out)
  if (before === undefined) {
    warn(`There is no ${out} yet. Generate it: npx taskwire types`)
    return FOUND
  }
  const changes = compareHashes(readHashes(before), tools)
  if (changes.length === 0) {
    print(`${out} fits: ${count(tools)}.`)
    return OK
  }
  print(
    `${out} is out of date. Regenerate it: npx taskwire types\n${changes.map((line) => `  ${clean(line)}`).join('\n')}`,
  )
  return FOUND
}

/** Writes the module where it is not the same. */
async function write(
  out: string,
  tools: readonly ListedTool[],
  compile: Compile,
  { print, warn }: Terminal,
): Promise<void> {
  const { text, warnings } = await writeModule(tools, compile)
  for (const warning of warnings) warn(clean(warning))
  const before = await readModule(out)
  if (text === before) return print(`${out} is up to date: ${count(tools)}.`)
  try {
    await mkdir(dirname(out), { recursive: true })
    await writeFile(out, text)
  } catch (cause) {
    throw new CliError(`Failed to write ${out}: ${String(cause)}`, { cause })
  }
  const changes = before === undefined ? [] : compareHashes(readHashes(before), tools)
  print([`${out}: ${count(tools)}.`, ...changes.map((line) => `  ${clean(line)}`)].join('\n'))
}

/** Runs until the process is stopped. A server that is down is asked again later. */
async function watch(
  out: string,
  list: () => Promise<ListedTool[]>,
  compile: Compile,
  terminal: Terminal & { readonly intervalMs: number },
): Promise<void> {
  const { environment, signal, warn, intervalMs } = terminal
  let known = await readModule(out)
  while (!signal.aborted) {
    await sleep(environment, intervalMs, signal).catch(() => {})
    if (signal.aborted) return
    try {
      const tools = await list()
      if (known !== undefined && compareHashes(readHashes(known), tools).length === 0) continue
      await write(out, tools, compile, terminal)
      known = await readModule(out)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      warn(error.message)
    }
  }
}

async function readModule(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CliError(`Failed to read ${path}: ${String(error)}`, { cause: error, exitCode: FAILED })
  }
}

function count({ length }: readonly ListedTool[]): string {
  return length === 1 ? '1 tool' : `${length} tools`
}
