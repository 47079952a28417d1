import type { Pool } from 'pg'
import { CliError } from './cliError.js'

/** Opens a pool by the `pg` that the app has. */
export async function openPostgres(connectionString: string): Promise<Pool> {
  const { default: pg } = await import('pg').catch(missing('pg'))
  return new pg.Pool({ connectionString, max: 1, connectionTimeoutMillis: 5000 })
}

/** Says that a client of a database is missing, where importing it has failed. */
export function missing(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new CliError(`${name} is not installed, which connects to the database. Install it: npm i ${name}`, { cause })
  }
}
