import { asError } from '../../core/protocol/asError.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { VERSION } from '../../core/protocol/version.js'
import { cleanLines } from './clean.js'
import { CliError } from './cliError.js'
import { type Command, FAILED, OK, type Terminal } from './terminal.js'

const HELP = `Usage: npx taskwire <command>

  doctor <url>         finds out why a browser cannot use an MCP server
  gateway              serves any MCP server to web pages, and turns its slow calls into tasks
  migrate              brings the Postgres schema of a task server to the version of this release
  tasks                lists the tasks of a task server, in its Postgres or Redis
  types <url | file>   generates the types of a server's tools

  --help, --version    npx taskwire <command> --help has the options of a command`

/** Loaded when they are called: neither needs what the other does. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  doctor: async () => (await import('./doctor/doctor.js')).doctor,
  gateway: async () => (await import('./gateway/gateway.js')).gateway,
  migrate: async () => (await import('./migrate/migrate.js')).migrate,
  tasks: async () => (await import('./tasks/tasks.js')).tasks,
  types: async () => (await import('./types/types.js')).types,
}

/** `npx taskwire`: runs a command and resolves to the exit code. */
export const run: Command = async ([name, ...args], given) => {
  // What a server has said may be anywhere in a text.
  const terminal: Terminal = {
    ...given,
    print: (text) => given.print(cleanLines(text)),
    warn: (text) => given.warn(cleanLines(text)),
    // Not looked at here: see `Terminal.signal`.
    get signal() {
      return given.signal
    },
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.print(HELP)
    return OK
  }
  if (name === '--version' || name === '-v') {
    terminal.print(VERSION)
    return OK
  }
  const load = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) {
    terminal.warn(name === undefined ? HELP : `There is no command "${name}".\n\n${HELP}`)
    return FAILED
  }
  try {
    const command = await load()
    return await command(args, terminal)
  } catch (thrown) {
    const error = asError(thrown)
    // A wrong option is the caller's to change. The rest is a fault of ours, and the stack says where.
    const isForCaller = error instanceof CliError || error instanceof TaskConfigurationError
    terminal.warn(isForCaller ? error.message : (error.stack ?? error.message))
    return error instanceof CliError ? error.exitCode : FAILED
  }
}
