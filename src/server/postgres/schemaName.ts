import { TaskConfigurationError } from '../../core/protocol/errors.js'

/**
 * Checks the name of a schema, which stands in statements as it is.
 *
 * @throws {TaskConfigurationError} if it is no plain word.
 */
export function checkSchemaName(schema: unknown): string {
  if (typeof schema === 'string' && /^[a-z_][a-z0-9_]{0,40}$/.test(schema)) return schema
  throw new TaskConfigurationError(
    `Failed to use Postgres: the schema ${JSON.stringify(schema)} has no plain name. Pass a word in lower case.`,
  )
}
