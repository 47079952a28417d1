import { parseArgs } from 'node:util'
import { CreateError } from './createError.js'
import { readTemplate, type Template } from './templates.js'

/** What was asked for on the command line. */
export interface Options {
  /** Where the app is to be. */
  readonly folder: string | undefined
  readonly template: Template | undefined
  /** True if nothing is to be asked. */
  readonly yes: boolean
  readonly help: boolean
  readonly version: boolean
}

const SEE_HELP = 'See: npm create taskwire -- --help'

/**
 * @param swallowed `npm_config_template`: what npm makes of `--template` that does not stand after `--`
 * @throws {CreateError} for an option or a template that there is not, and for a second folder.
 */
export function readOptions(args: readonly string[], swallowed?: string): Options {
  const { values, positionals } = parse(args)
  if (swallowed !== undefined && values.template === undefined) {
    throw new CreateError(
      'USAGE',
      'npm keeps --template for itself. Put -- before it: npm create taskwire my-app -- --template next',
    )
  }
  const [folder, ...more] = positionals
  if (more.length > 0) throw new CreateError('USAGE', `One argument is too many: ${more.join(' ')}. ${SEE_HELP}`)
  return {
    folder: folder?.trim() || undefined,
    template: values.template === undefined ? undefined : readTemplate(values.template),
    yes: values.yes ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        yes: { type: 'boolean', short: 'y' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (error) {
    // Node's second sentence is about arguments that begin with a dash, which no folder of ours does.
    const [sentence = ''] = String((error as Error).message).split(/\. |\.$/)
    throw new CreateError('USAGE', `${sentence}. ${SEE_HELP}`, { cause: error })
  }
}
