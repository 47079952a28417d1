/** What can happen to a request. */
export const NETWORK_FAULTS = [
  'request dropped',
  'response dropped',
  'response delayed',
  'response sent twice',
  'earlier response sent again',
  'snapshot out of date',
  'silence',
  'HTTP 5xx',
  'HTTP 429 or 503 with Retry-After',
  'HTTP 401',
  'malformed response',
  'Retry-After of a year',
  'push that lies',
  'push ended at once',
  'push not honoured',
] as const

/** What can happen to a stream of status notifications alone. */
export const PUSH_FAULTS = ['push that lies', 'push ended at once', 'push not honoured'] as const

export type NetworkFault = (typeof NETWORK_FAULTS)[number]

/** What can happen to pages, to their machine and to their storage, in the order of the table. */
export const PAGE_FAULTS = [
  'offline',
  'hidden',
  'reload',
  'tab closed',
  'client closed',
  'tab crashed',
  'leader crashed',
  'frozen',
  'back-forward cache',
  'sleep',
  'clock set forward',
  'clock set back',
  'storage throws',
  'storage full',
  'storage cleared',
  'record corrupted',
  'storage fails now and then',
  'storage loses writes',
  'storage never answers',
  'clock jumps by a day',
  'clocks of tabs drift apart',
  'message delivered twice',
  'message late',
  'message lost',
  'lock stolen',
  'push cut',
  'server restarted, its task ids used again',
] as const

/**
 * Faults after which pages cannot know what they have to know for some checks, which then ask for less. They are left out of
 * half of the worlds that have all others.
 */
export const BLINDING_FAULTS: readonly Fault[] = [
  'message late',
  'message lost',
  'clocks of tabs drift apart',
  'storage fails now and then',
  'storage loses writes',
  'storage never answers',
  'server restarted, its task ids used again',
  'Retry-After of a year',
]

/**
 * Faults that schedules draw only since the commit of `earlier/client.js`: its client has the mistakes that they have found since, so
 * schedules of two versions do without them.
 */
export const FAULTS_SINCE_EARLIER: readonly Fault[] = [
  'Retry-After of a year',
  'push that lies',
  'push ended at once',
  'push not honoured',
  'push cut',
  'storage fails now and then',
  'storage loses writes',
  'storage never answers',
  'clock jumps by a day',
  'clocks of tabs drift apart',
  'message delivered twice',
  'message late',
  'message lost',
  'lock stolen',
  'server restarted, its task ids used again',
]

export type PageFault = (typeof PAGE_FAULTS)[number]

export type Fault = NetworkFault | PageFault

export const FAULTS: readonly Fault[] = [...NETWORK_FAULTS, ...PAGE_FAULTS]

/** What the app itself does to calls in progress. */
export const APP_ACTIONS = [
  'tab opened',
  'keyed call',
  'call without key',
  'repeated call',
  'respond',
  'cancel',
  'look at an ended call',
  'follow a task by its id',
  'forget',
  'respond in two tabs at once',
  'close() at an await',
  'forget() at an await',
] as const

export type AppAction = (typeof APP_ACTIONS)[number]

/** What must not happen. */
export const BREACHES = [
  'task lost',
  'outcome of another call shown',
  'call duplicated',
  'poll too early',
  'asked without pause',
  'asked too early',
  'input request answered twice',
  'input response lost',
  'cancellation lost',
  'forgotten record kept',
  'never settled',
  'outcome unknown to the page that can ask again',
  'unhandled error',
  'left running after close()',
  'played again otherwise',
] as const

export type Breach = (typeof BREACHES)[number]

/** What happened to calls and tasks, for the scale of the table. */
export const EVENTS = [
  'requests',
  'tools/call executed',
  'tasks created',
  'tasks recorded and not given up by the app',
  'polls answered',
  'answers of two polls out of order',
  'streams of notifications opened',
  'notifications of tasks pushed',
  'writes to storage',
  'messages to other tabs',
  'locks requested',
  'timers set',
  'tools/call sent again under their key',
  'responses to tools/call lost, and reported so',
  'the same, where the server takes keys',
] as const

export type ChaosEvent = (typeof EVENTS)[number]

export type TallyKey = NetworkFault | PageFault | AppAction | Breach | ChaosEvent

/** Counts by kind. */
export interface Tally {
  readonly counts: Readonly<Partial<Record<TallyKey, number>>>
  add(key: TallyKey, count?: number): void
}

export function createTally(): Tally {
  const counts: Partial<Record<TallyKey, number>> = {}
  return {
    counts,
    add: (key, count = 1) => {
      counts[key] = (counts[key] ?? 0) + count
    },
  }
}
