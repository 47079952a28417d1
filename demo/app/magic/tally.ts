import type { TaskClient, TaskClientObservation } from 'taskwire'
import { isBeside } from '../switches.js'

/** What one tab has sent, and the calls that it polls now. */
export interface TabTally {
  readonly tab: string
  readonly calls: number
  readonly polls: number
  /** The tasks that the server has made for its calls. */
  readonly runs: number
  readonly polled: readonly string[]
}

/** What tabs tell each other, each with its own tally. */
interface Message {
  readonly type: 'opened' | 'counted' | 'closed' | 'reset'
  readonly tally: TabTally
}

const tab = crypto.randomUUID()
const channel = new BroadcastChannel('northlight')
const listeners = new Set<() => void>()
// A frame has the session of its page, so each counts under a name of its own, over reloads.
const KEY = `northlight:tally${isBeside ? ':beside' : ''}`

const NOTHING = { calls: 0, polls: 0, runs: 0 }

let own: TabTally = { tab, ...NOTHING, ...saved(), polled: [] }
let tallies: readonly TabTally[] = [own]

/** The tallies of all tabs that are open; a new list when one of them has changed. */
export const allTallies = (): readonly TabTally[] => tallies

export function onTally(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Counts what the client of this page sends, tells the other tabs, and hears from them. */
export function countRequests(client: TaskClient): void {
  client.observe(
    (observation) => {
      const next = count(own, observation)
      if (next !== own) setOwn(next)
    },
    { wire: true },
  )
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'reset') return setOwn({ ...own, ...NOTHING })
    const others = tallies.filter((one) => one.tab !== data.tally.tab)
    put(data.type === 'closed' ? others : [...others, data.tally])
    if (data.type === 'opened') post('counted')
  }
  addEventListener('pagehide', () => post('closed'))
  addEventListener('pageshow', ({ persisted }) => persisted && post('opened'))
  post('opened')
}

/** Begins to count anew, in every tab. */
export function resetTally(): void {
  setOwn({ ...own, ...NOTHING })
  post('reset')
}

function count(tally: TabTally, observation: TaskClientObservation): TabTally {
  switch (observation.type) {
    case 'wire-sent':
      if (observation.method === 'tools/call') return { ...tally, calls: tally.calls + 1 }
      return observation.method === 'tasks/get' ? { ...tally, polls: tally.polls + 1 } : tally
    case 'task-created':
      return { ...tally, runs: tally.runs + 1 }
    case 'poll-sent':
    case 'push-opened':
    case 'leader-gained':
      return tally.polled.includes(observation.callId)
        ? tally
        : { ...tally, polled: [...tally.polled, observation.callId] }
    case 'leader-lost':
    case 'call-settled':
      return { ...tally, polled: tally.polled.filter((callId) => callId !== observation.callId) }
    default:
      return tally
  }
}

function setOwn(next: TabTally): void {
  own = next
  sessionStorage.setItem(KEY, JSON.stringify({ calls: own.calls, polls: own.polls, runs: own.runs }))
  post('counted')
  put([...tallies.filter((one) => one.tab !== tab), own])
}

function post(type: Message['type']): void {
  channel.postMessage({ type, tally: own } satisfies Message)
}

function put(next: readonly TabTally[]): void {
  tallies = next
  for (const listener of listeners) listener()
}

function saved(): Partial<TabTally> {
  return JSON.parse(sessionStorage.getItem(KEY) ?? '{}')
}
