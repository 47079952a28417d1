import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { asError } from '../../../core/protocol/asError.js'
import type { TaskGatewayOptions } from '../../gateway/taskGatewayOptions.js'
import { CliError } from '../cliError.js'

/**
 * The jobs that a module exports as its default.
 *
 * @throws {CliError} if it cannot be loaded, or exports something else.
 */
export async function loadJobs(file: string): Promise<NonNullable<TaskGatewayOptions['jobs']>> {
  const module: { readonly default?: unknown } = await import(pathToFileURL(resolve(file)).href).catch(
    (cause: unknown) => {
      throw new CliError(`Failed to load the jobs of "${file}": ${asError(cause).message}`, { cause })
    },
  )
  if (Array.isArray(module.default)) return module.default
  throw new CliError(`"${file}" exports no list of jobs. It has to have: export default [defineJob({ … })]`)
}
