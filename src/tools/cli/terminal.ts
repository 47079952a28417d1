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
  /** Aborted by Ctrl+C. Only commands that run until they are stopped read it: for them Ctrl+C aborts this signal and does no more. */
  readonly signal: AbortSignal
}

/** A command and its exit code. */
export type Command = (args: readonly string[], terminal: Terminal) => Promise<number>

export const OK = 0
/** Findings, drift: what a script should look at. */
export const FOUND = 1
/** Wrong arguments, or no terminal to ask in. */
export const FAILED = 2
