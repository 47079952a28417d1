import { createHash } from 'node:crypto'
import type { TaskClient } from 'taskwire'
import type { Environment } from '../../src/core/environment/environment.js'

/** Everything that the pages of a run have asked of their environment and have shown, in order, each with its time. */
export interface Journal {
  readonly lines: readonly string[]
  note(text: string): void
  /**
   * Equal for two runs in which the same things happened at the same times. The order within an instant does not count:
   * versions of Node take different numbers of microtasks to read a response.
   */
  digest(): string
}

/** Where newer versions of V8 have found an error in JSON: the same happened in those that do not say it. */
const LINE_AND_COLUMN = / \(line \d+ column \d+\)/g

export function createJournal(now: () => number): Journal {
  const lines: string[] = []
  /** Where an instant begins. */
  const instants: number[] = []
  let latest = Number.NaN
  return {
    lines,
    note: (text) => {
      if (now() !== latest) instants.push(lines.length)
      latest = now()
      lines.push(`${latest} ${text.replace(LINE_AND_COLUMN, '')}`)
    },
    digest: () => {
      const sorted = instants.flatMap((from, index) => lines.slice(from, instants[index + 1]).toSorted())
      return createHash('sha256').update(sorted.join('\n')).digest('hex')
    },
  }
}

/** More than so many messages of one page in one instant are an endless exchange, which is ended by losing them. */
const MAX_AT_ONCE = 2000

/** An environment that notes the messages, locks and timers that a page asks for, and counts them. */
export function noting(
  environment: Environment,
  note: (text: string) => void,
  count: (what: 'timers set' | 'messages to other tabs' | 'locks requested') => void,
  onLock: (name: string) => void,
  onFlood: () => void,
): Environment {
  const { channel, locks } = environment
  const posted = { at: 0, count: 0 }
  return {
    ...environment,
    setTimeout: (callback, delayMs) => {
      note(`timer ${delayMs}`)
      count('timers set')
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
            count('messages to other tabs')
            const at = environment.now()
            if (posted.at !== at) Object.assign(posted, { at, count: 0 })
            posted.count += 1
            if (posted.count === MAX_AT_ONCE) onFlood()
            if (posted.count < MAX_AT_ONCE) opened.postMessage(message)
          },
        }
      }),
    locks: locks && {
      request: (name, options, hold) => {
        note(`lock ${name}${options.steal ? ', stolen' : ''}`)
        count('locks requested')
        onLock(name)
        return locks.request(name, options, hold)
      },
    },
  }
}

/** Notes each state of a call that a client shows, and each call that it shows no longer. */
export function noteShown({ store }: TaskClient, note: (text: string) => void): void {
  store.subscribe(({ calls }, { calls: before }) => {
    for (const [callId, state] of Object.entries(calls))
      if (state !== before[callId]) note(`shows ${JSON.stringify(state, errorsInWords)}`)
    for (const callId of Object.keys(before)) if (!(callId in calls)) note(`shows ${callId} no longer`)
  })
}

function errorsInWords(_: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value
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
