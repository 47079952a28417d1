import { deflateRawSync } from 'node:zlib'

/** Something that happened, for the page docs/replay.md. */
export interface Step {
  /** ms since the schedule began. */
  readonly at: number
  /** A tab, `storage`, `server` or `schedule`; `fault` for what must not happen. */
  readonly in: string
  readonly text: string
  /** What there is to see from now on: of which call, record or task, and what; null where it is gone. */
  readonly set?: readonly [id: string, what: string | null]
  /** True where the tab is gone from now on. */
  readonly ends?: boolean
}

type Json = Readonly<Record<string, unknown>>

const TAB = /^(tab\d+(?: \(earlier version\))?) /
const nameOf = (tab: string) => tab.replace('tab', 'Tab ')
const words = (...parts: unknown[]) => parts.filter((part) => part !== undefined && part !== '').join(', ')

/** The steps of a journal that somebody can follow: without timers, and without arguments, results and headers. */
export function toSteps(lines: readonly string[]): Step[] {
  return lines.flatMap((line): Step[] => {
    const [, at = '0', text = ''] = /^(\S+) +(.*)$/.exec(line) ?? []
    const step = stepOf(text)
    return step === undefined ? [] : [{ at: Math.round(Number(at)), ...step }]
  })
}

function stepOf(text: string): Omit<Step, 'at'> | undefined {
  if (text.startsWith('# ')) return { in: 'schedule', text: text.slice(2).replace(/, \{.*\}\)/, ')') }
  if (text.startsWith('!! ')) return { in: 'fault', text: text.slice(3) }
  const [start, tab] = TAB.exec(text) ?? []
  if (start === undefined || tab === undefined) return text.startsWith('[') ? undefined : { in: 'server', text }
  const rest = text.slice(start.length)
  const [, verb = '', value = ''] = /^(\S+) ?(.*)$/.exec(rest) ?? []
  switch (verb) {
    case 'timer':
      return undefined
    case 'shows':
      return value.startsWith('{') ? shows(tab, JSON.parse(value)) : gone(tab, value.replace(' no longer', ''))
    case 'posts': {
      const { type, record } = JSON.parse(value) as { type: string; record?: Json }
      return { in: tab, text: `tells the other tabs: ${words(type, record && recordWords(record))}` }
    }
    case 'writes': {
      const [key = '', ...json] = value.split(' ')
      const record = parse(json.join(' '))
      const what = record === undefined ? 'an item' : recordWords(record)
      return { in: 'storage', text: `${nameOf(tab)} writes: ${what}`, set: [idOf(key), what] }
    }
    case 'removes':
      return { in: 'storage', text: `${nameOf(tab)} removes a record`, set: [idOf(value), null] }
    case '←': {
      const [, task, status] = /(task-\d+) (\w+)$/.exec(value) ?? []
      const isKnown = task !== undefined && status !== undefined && !/^(?:failure|nothing|ok)$/.test(status)
      return {
        in: isKnown ? 'server' : tab,
        text: isKnown ? `→ ${nameOf(tab)}: ${value}` : rest,
        ...(isKnown && { set: [task, `${task}: ${status}`] }),
      }
    }
    case 'lock':
      return {
        in: tab,
        text: `asks for the lock ${shortOf(idOf(value))}`,
      }
    case 'ends':
      return { in: tab, text: rest, ends: true }
    default:
      return { in: tab, text: rest }
  }
}

function shows(tab: string, { callId, name, key, phase, network, task, error }: Json): Omit<Step, 'at'> {
  const { taskId, statusMessage } = (task ?? {}) as { taskId?: string; statusMessage?: string }
  const call = words(name, key)
  const { name: reason } = (error ?? {}) as { name?: string }
  const what = words(`${call}: ${phase}`, network === 'ok' ? undefined : network, taskId, statusMessage, reason)
  return { in: tab, text: `shows ${what}`, set: [String(callId), what] }
}

const gone = (tab: string, callId: string): Omit<Step, 'at'> => ({
  in: tab,
  text: 'no longer shows a call',
  set: [callId, null],
})

function recordWords({ tool, key, task, outcome }: Json): string {
  const { taskId, status } = (task ?? {}) as { taskId?: string; status?: string }
  return words(
    `${words(tool, key)}: ${taskId ?? 'no task yet'}`,
    status,
    outcome === undefined ? undefined : 'with its outcome',
  )
}

const idOf = (storageKey: string) => storageKey.slice(storageKey.lastIndexOf(':') + 1)

/** The first digits of a hash, as messages have them; `, stolen` stays. */
const shortOf = (text: string) => text.replace(/^([\da-f]{6})[\da-f]{22}/, '$1')

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** How to see a recording of this fragment, in words for the terminal. */
export function watchCommand(fragment: string): string {
  return `To watch it: npm run docs:dev, and then http://localhost:5173/replay${fragment}`
}

/** The fragment by which the page shows the steps. */
export function toFragment(title: string, steps: readonly Step[]): string {
  return `#1.${deflateRawSync(JSON.stringify({ title, steps }), { level: 9 }).toString('base64url')}`
}
