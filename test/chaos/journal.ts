import { createHash } from 'node:crypto'
import type { Environment } from '../../src/core/environment/environment.js'

/** Everything that the pages of a run have asked of their environment, in order, each with its time. */
export interface Journal {
  readonly lines: readonly string[]
  note(text: string): void
  /** Equal for two runs in which the same things happened at the same times. */
  digest(): string
}

export function createJournal(now: () => number): Journal {
  const lines: string[] = []
  return {
    lines,
    note: (text) => lines.push(`${now()} ${text}`),
    digest: () => createHash('sha256').update(lines.join('\n')).digest('hex'),
  }
}

/** An environment that notes the messages, locks and timers that a page asks for. */
export function noting(environment: Environment, note: (text: string) => void): Environment {
  const { channel, locks } = environment
  return {
    ...environment,
    setTimeout: (callback, delayMs) => {
      note(`timer ${delayMs}`)
      return environment.setTimeout(callback, delayMs)
    },
    channel:
      channel &&
      ((name) => {
        const opened = channel(name)
        return {
          ...opened,
          postMessage: (message) => {
            note(`posts ${JSON.stringify(message)}`)
            opened.postMessage(message)
          },
        }
      }),
    locks: locks && {
      request: (name, options, hold) => {
        note(`lock ${name}${options.steal ? ', stolen' : ''}`)
        return locks.request(name, options, hold)
      },
    },
  }
}

/** Where two runs of one schedule part: the last line that they share, and what each has after it. */
export function firstDifference(one: readonly string[], other: readonly string[]): string | undefined {
  const index = one.findIndex((line, at) => line !== other[at])
  const at = index < 0 ? one.length : index
  if (at === one.length && at === other.length) return undefined
  return [
    `after: ${one[at - 1] ?? 'the start'}`,
    `once:  ${one[at] ?? 'the end'}`,
    `again: ${other[at] ?? 'the end'}`,
  ].join('\n')
}
