import { FAILED } from './terminal.js'

/** Ends a command with a message for its caller. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number

  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = options.exitCode ?? FAILED
  }
}
