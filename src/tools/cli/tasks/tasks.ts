import { asError } from '../../../core/protocol/asError.js'
import { filterOf } from '../../../server/tasks/filterOf.js'
import type { TaskListFilter, TaskPage } from '../../../server/tasks/taskList.js'
import { readArguments } from '../arguments.js'
import { cleanJson } from '../clean.js'
import { CliError } from '../cliError.js'
import { type Command, OK } from '../terminal.js'
import { connect, type Source } from './connect.js'
import { tableOf } from './tableOf.js'

const HELP = `Usage: npx taskwire tasks --postgres <url> | --redis <url> [options]

Lists the tasks in a store, the newest first. It changes nothing.

  --postgres <url>   such as postgres://localhost/app
  --schema <name>    the schema of the store (taskwire)
  --redis <url>      such as redis://localhost
  --prefix <text>    the prefix of the store's keys ({taskwire}:)
  --status <status>  only tasks that are working, input_required, completed, failed or cancelled
  --tool <name>      only tasks of this tool
  --owner <name>     only tasks of this owner
  --older <seconds>  only tasks that are at least this old
  --limit <number>   how many to list, up to 500 (50)
  --json             print JSON, with whole ids; an id may give access to its task

Exit code: 0 listed, 2 failed.`

const OPTIONS = {
  postgres: { type: 'string' },
  schema: { type: 'string' },
  redis: { type: 'string' },
  prefix: { type: 'string' },
  status: { type: 'string' },
  tool: { type: 'string' },
  owner: { type: 'string' },
  older: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** `npx taskwire tasks`. */
export const tasks: Command = async (args, { print, environment }) => {
  const { values, target } = readArguments(args, OPTIONS, 'tasks')
  if (values.help) {
    print(HELP)
    return OK
  }
  if (target !== undefined) throw new CliError(`One argument is too many: ${target}.`)
  const now = environment.now()
  const { status, tool, owner, limit, older } = values
  const filter = readFilter({ status, tool, owner, limit, createdBefore: createdBefore(older, now) })
  const page = await listIn(sourceOf(values), filter)
  print(values.json ? cleanJson(page) : tableOf(page, now))
  return OK
}

function sourceOf({ postgres, redis, schema, prefix }: { [K in keyof Source]?: string | undefined }): Source {
  const count = [postgres, redis].filter((url) => url !== undefined).length
  if (count === 1) return { postgres, redis, schema, prefix }
  throw new CliError('Which store? Pass one of --postgres and --redis, with its URL.')
}

function createdBefore(older: string | undefined, now: number): string | undefined {
  if (older === undefined) return undefined
  const seconds = Number(older)
  if (older.trim() !== '' && seconds >= 0 && Number.isSafeInteger(Math.floor(seconds * 1000))) {
    return String(Math.floor(now - seconds * 1000))
  }
  throw new CliError(`--older "${older}" is not a number of seconds.`)
}

function readFilter(values: Readonly<Record<string, string | undefined>>): TaskListFilter {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  try {
    return filterOf(new URLSearchParams(given))
  } catch (error) {
    throw new CliError(asError(error).message, { cause: error })
  }
}

async function listIn(source: Source, filter: TaskListFilter): Promise<TaskPage> {
  const { store, close } = await connect(source)
  try {
    return (await store.list?.(filter)) ?? { tasks: [] }
  } catch (error) {
    // It may name the host and the table, and holds no password.
    throw new CliError(`Failed to read the tasks: ${asError(error).message}`, { cause: error })
  } finally {
    await close()
  }
}
