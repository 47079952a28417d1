import { asError } from '../../../core/protocol/asError.js'
import { postgresDdl } from '../../../server/postgres/migrations.js'
import { migratePostgres } from '../../../server/postgres/schema.js'
import { readArguments } from '../arguments.js'
import { CliError } from '../cliError.js'
import { openPostgres } from '../openPostgres.js'
import { type Command, OK } from '../terminal.js'

const HELP = `Usage: npx taskwire migrate --postgres <url> [--schema <name>]
       npx taskwire migrate --print [--schema <name>]

Creates the schema of the task store, or brings it to the version of this release, in one transaction.

  --postgres <url>   such as postgres://localhost/app
  --schema <name>    the schema of the store (taskwire)
  --print            print the DDL of a new schema instead, for the migrations of an app

Exit code: 0 the schema has the version of this release, 2 it was not changed.`

const OPTIONS = {
  postgres: { type: 'string' },
  schema: { type: 'string', default: 'taskwire' },
  print: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** `npx taskwire migrate`. */
export const migrate: Command = async (args, { print }) => {
  const { values, target } = readArguments(args, OPTIONS, 'migrate')
  if (values.help) {
    print(HELP)
    return OK
  }
  if (target !== undefined) throw new CliError(`One argument is too many: ${target}.`)
  const { schema, postgres } = values
  if (values.print) {
    print(ddlOf(schema))
    return OK
  }
  if (postgres === undefined) throw new CliError('Which database? Pass --postgres with its URL.')
  const version = await migrateAt(postgres, schema)
  print(`The schema "${schema}" has version ${version}, the one that this release of taskwire needs.`)
  return OK
}

function ddlOf(schema: string): string {
  try {
    return postgresDdl(schema)
  } catch (error) {
    throw new CliError(asError(error).message, { cause: error })
  }
}

async function migrateAt(url: string, schema: string): Promise<number> {
  const pool = await openPostgres(url)
  try {
    return await migratePostgres({ pool, schema })
  } catch (error) {
    // It may name the host and the table, and holds no password.
    throw new CliError(`The schema was not changed: ${asError(error).message}`, { cause: error })
  } finally {
    await pool.end()
  }
}
