import { inspect } from 'node:util'
import type { Environment } from 'taskwire'
import type { SimulatedBrowser } from 'taskwire/testing'
import type { TabFault } from './clientCase.js'
import { add, type Counts } from './kinds.js'
import { KNOWN_FAULTS } from './knownFaults.js'
import { mutateJson } from './mutateJson.js'

export interface TabTapOptions {
  readonly environment: Environment
  readonly browser: SimulatedBrowser
  readonly faults: readonly TabFault[]
  readonly counts: Counts
  readonly log: (text: string) => void
  readonly onFault: () => void
}

/** What `postMessage` carries and JSON does not. */
const CLONEABLE: readonly unknown[] = [
  undefined,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  10n,
  new Date(0),
  new Map([['taskId', 'x']]),
  new Uint8Array(3),
  /x/,
  new RangeError('from elsewhere'),
]

/**
 * The environment with a channel on which another script of the same origin listens: it says again what it has
 * heard, changed.
 */
export function tapTabs({ environment, browser, faults, counts, log, onFault }: TabTapOptions): Environment {
  const { channel: open } = environment
  if (open === undefined || faults.length === 0) return environment
  const planned = faults.map((fault) => ({ ...fault }))
  const intruder = browser.openPage().environment
  let messages = 0
  return {
    ...environment,
    channel: (name) => {
      const channel = open(name)
      const evil = intruder.channel?.(name)
      return {
        ...channel,
        postMessage: (message) => {
          channel.postMessage(message)
          messages += 1
          for (const [index, { after, edits }] of [...planned.entries()].reverse()) {
            if (after > messages) continue
            planned.splice(index, 1)
            add(counts, 'message between tabs')
            onFault()
            try {
              const changed = withTimesOf(message, mutateJson(message, edits, CLONEABLE))
              log(`  intruder: ${inspect(changed, { depth: 6, breakLength: Number.POSITIVE_INFINITY })}`)
              evil?.postMessage(changed)
            } catch (error) {
              // What cannot be made, or cloned, cannot be sent.
              log(`  intruder: ${String(error)}`)
            }
          }
        },
        close: () => {
          channel.close()
          evil?.close()
        },
      }
    },
  }
}

/** The changed message with the times of the real one, as long as any others are believed. */
function withTimesOf(message: unknown, changed: unknown): unknown {
  if (!KNOWN_FAULTS.has('numbers in messages between tabs') || !isObject(changed)) return changed
  const real = isObject(message) ? message : {}
  for (const [name, value] of Object.entries(changed)) {
    if (typeof value === 'number' || typeof value === 'bigint')
      changed[name] = Object.hasOwn(real, name) ? real[name] : undefined
    else if (isObject(value)) withTimesOf(Object.hasOwn(real, name) ? real[name] : undefined, value)
  }
  return changed
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
