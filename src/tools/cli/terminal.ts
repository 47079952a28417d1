import type { Environment } from '../../core/environment/environment.js'

/** What a command takes from the process it runs in. */
export interface Terminal {
  /** Writes a line of the result. */
  print(line: string): void
  /** Writes a line about what went wrong, or about what is under way. */
  warn(line: string): void
  readonly environment: Pick<Environment, 'fetch' | 'now' | 'setTimeout' | 'clearTimeout'>
  /** The address that a name stands for; undefined where it is not known. */
  lookUp(host: string): Promise<string | undefined>
  /** Ends what goes on until it is stopped. To be looked at by such commands only: then Ctrl+C aborts it, and no more. */
  readonly signal: AbortSignal
}

/** A command and its exit code. */
export type Command = (args: readonly string[], terminal: Terminal) => Promise<number>

export const OK = 0
/** Findings, drift: what a script should look at. */
export const FOUND = 1
/** Wrong arguments, or nobody there to ask. */
export const FAILED = 2
