import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { PATIENCE } from '../../support/patience.js'

/** A program that tests have started. */
export interface Program {
  /** What it writes to its fourth file descriptor, where `stdio` has one. */
  readonly output: Readable | undefined
  /**
   * What a promise resolves to. Rejects if the program ends before, or if that takes too long; the error has what the program,
   * and those that it has started, have said.
   */
  whileItRuns<T>(what: string, promise: Promise<T>): Promise<T>
  /** Ends it, and resolves once it has ended. */
  end(): Promise<void>
}

export interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv
  /** True if it writes something to its fourth file descriptor. */
  readonly hasOutput?: boolean
  /** How long anything may take, in milliseconds, shorter than a hook may. Default as in other tests. */
  readonly patienceMs?: number
}

export function startProgram(path: string, args: readonly string[], options: ProgramOptions = {}): Program {
  const { env, hasOutput = false, patienceMs = PATIENCE.timeout } = options
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', hasOutput ? 'pipe' : 'ignore']
  const child = spawn(path, args, { stdio, ...(env && { env }) })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  const ended = once(child, 'exit').catch(() => {})
  // Once it has said all there is to say.
  const gone = once(child, 'close').then(
    () => `${path} has ended`,
    (error: unknown) => `${path} cannot be started: ${error}`,
  )
  return {
    output: (child.stdio[3] ?? undefined) as Readable | undefined,
    async whileItRuns(what, promise) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<string>((resolve) => {
        timer = setTimeout(() => resolve(`${patienceMs} ms are over`), patienceMs)
      })
      const failed = Promise.race([gone, late]).then((reason) => {
        throw new Error(`Failed to ${what}: ${reason}. ${said.trim() || 'It has said nothing.'}`)
      })
      try {
        return await Promise.race([promise, failed])
      } finally {
        clearTimeout(timer)
        // Whichever comes later has nobody to tell.
        for (const one of [promise, failed]) one.catch(() => {})
      }
    },
    async end() {
      child.kill()
      await ended
      // What it has started may still hold the other end.
      child.stderr?.destroy()
    },
  }
}
