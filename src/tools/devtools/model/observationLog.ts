import type {
  CallObservation,
  PageObservation,
  TaskClientObservation,
  WireObservation,
} from '../../../core/client/observe/events.js'

/** What was observed last, of several clients, as much as fits. */
export interface ObservationLog {
  add(client: number, observation: TaskClientObservation): void
  /** What happened to a call, oldest first. */
  ofCall(client: number, callId: string): CallObservation[]
  /** What happened to the calls of all clients, oldest first. */
  ofCalls(): { readonly client: number; readonly observation: CallObservation }[]
  /** What went over the wire, oldest first. */
  ofWire(): ClientWireObservation[]
  ofPage(): PageObservation[]
  readonly size: number
  /** Forgets what was observed of calls and of the wire. How the page is stays known. */
  clear(): void
}

/** Something that went over the wire of one of the clients. */
export interface ClientWireObservation {
  readonly client: number
  readonly observation: WireObservation
}

interface Entry {
  readonly client: number
  /** What shares a limit: a call, or the wire of a client. */
  readonly group: string
  readonly observation: TaskClientObservation
}

/** How much is kept: of each call and of each wire, and of all. */
export interface ObservationLimits {
  readonly each: number
  readonly all: number
}

const LIMITS: ObservationLimits = { each: 500, all: 2000 }

export function createObservationLog({ each, all }: ObservationLimits = LIMITS): ObservationLog {
  const entries: Entry[] = []
  /** The last observation of the network and that of the page. Each holds until the next one. */
  const ofPage = new Map<'network' | 'page', PageObservation>()
  const counts = new Map<string, number>()

  function remove(index: number): void {
    const [{ group } = { group: '' }] = entries.splice(index, 1)
    const count = (counts.get(group) ?? 1) - 1
    if (count === 0) counts.delete(group)
    else counts.set(group, count)
  }

  const pick = <T extends TaskClientObservation>(is: (one: TaskClientObservation) => one is T) =>
    entries.flatMap(({ client, observation }) => (is(observation) ? [{ client, observation }] : []))

  return {
    add: (client, observation) => {
      if (isOfPage(observation)) return void ofPage.set(isOfNetwork(observation) ? 'network' : 'page', observation)
      const group = groupOf(client, observation)
      entries.push({ client, group, observation })
      const count = (counts.get(group) ?? 0) + 1
      counts.set(group, count)
      if (count > each) remove(entries.findIndex((entry) => entry.group === group))
      if (entries.length > all) remove(0)
    },
    ofCall: (client, callId) =>
      pick(isOfCall).flatMap((one) =>
        one.client === client && one.observation.callId === callId ? [one.observation] : [],
      ),
    ofCalls: () => pick(isOfCall),
    ofWire: () => pick(isOfWire),
    ofPage: () => [...ofPage.values()],
    clear: () => {
      entries.length = 0
      counts.clear()
    },
    get size() {
      return entries.length
    },
  }
}

function groupOf(client: number, observation: TaskClientObservation): string {
  return isOfCall(observation) ? `${client} ${observation.callId}` : `${client} wire`
}

function isOfCall(observation: TaskClientObservation): observation is CallObservation {
  return 'callId' in observation
}

function isOfPage(observation: TaskClientObservation): observation is PageObservation {
  return observation.type === 'page'
}

function isOfWire(observation: TaskClientObservation): observation is WireObservation {
  return 'exchange' in observation
}

function isOfNetwork({ state }: PageObservation): boolean {
  return state === 'online' || state === 'offline'
}
