import type { JsonObject } from '../../../core/protocol/json.js'
import { CliError } from '../cliError.js'

/** Writes the types of a schema as TypeScript. */
export type Compile = (schema: JsonObject, name: string) => Promise<string>

/**
 * Loads `json-schema-to-typescript`, which is not installed with this package.
 *
 * @throws {CliError} with the command that installs it.
 */
export async function loadCompile(): Promise<Compile> {
  const { compile } = await import('json-schema-to-typescript').catch((cause: unknown) => {
    throw new CliError(
      'This command needs json-schema-to-typescript, which is not installed. Install it, then try again:\n\n' +
        '  npm i -D json-schema-to-typescript',
      { cause },
    )
  })
  return (schema, name) =>
    compile(schema, name, {
      additionalProperties: false,
      bannerComment: '',
      ignoreMinAndMaxItems: true,
      unknownAny: true,
      style: { semi: false, singleQuote: true, printWidth: 120 },
      // A schema of somebody else must not make this machine read files or send requests.
      $refOptions: { resolve: { external: false, file: false, http: false } },
    })
}
