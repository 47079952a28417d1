/** Something that happened. */
export interface Step {
  /** ms since the beginning. */
  at: number
  /** A tab, `storage`, `server`, `schedule`, or `fault`. */
  in: string
  text: string
  /** What there is to see from now on; null where it is gone. */
  set?: readonly [id: string, what: string | null]
  /** True where the tab is gone from now on. */
  ends?: boolean
}

export interface Recording {
  title: string
  steps: Step[]
}

/** Reads the fragment of a URL. Undefined where there is none. */
export async function readFragment(fragment: string): Promise<Recording | undefined> {
  const [, data] = /^#1\.([\w-]+)$/.exec(fragment) ?? []
  if (data === undefined) return undefined
  const bytes = Uint8Array.from(atob(data.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return readRecording(await new Response(stream).text())
}

/** Reads a file that the devtools have exported, or the text of `recordReplay()`. */
export function readRecording(text: string): Recording {
  const { title, steps: found } = Object(JSON.parse(text)) as Partial<Recording>
  const steps = Array.isArray(found) ? found.filter(isStep) : []
  if (typeof title !== 'string' || steps.length === 0) throw new TypeError('This is not a recording.')
  return { title, steps }
}

function isStep(step: Partial<Step> | null): step is Step {
  return typeof step?.at === 'number' && typeof step.in === 'string' && typeof step.text === 'string'
}

/** Something in which there is something to see: a tab, the storage or the server. */
export interface Place {
  readonly name: string
  readonly shown: Map<string, string>
  isOver: boolean
}

/** The places after the first `count` steps: the tabs that were opened, then storage and server. */
export function placesAfter({ steps }: Recording, count: number): Place[] {
  const places = new Map<string, Place>()
  const placeOf = (name: string) => {
    const place = places.get(name) ?? { name, shown: new Map<string, string>(), isOver: false }
    places.set(name, place)
    return place
  }
  for (const { in: name, set, ends } of steps.slice(0, count)) {
    if (name === 'schedule' || name === 'fault') continue
    const place = placeOf(name)
    if (ends) place.isOver = true
    if (set === undefined) continue
    const [id, what] = set
    if (what === null) place.shown.delete(id)
    else place.shown.set(id, what)
  }
  const tabs = [...places.values()].filter(({ name }) => name.startsWith('tab'))
  return [...tabs, placeOf('storage'), placeOf('server')]
}

/** What happens to the tabs in a schedule of the tests, by the names of its steps (test/chaos/commands.ts). */
const EVENTS: readonly (readonly [step: RegExp, words: string])[] = [
  [/^reload\(/, 'a tab is reloaded'],
  [/^close(AtAwait)?\(/, 'a tab is closed'],
  [/^crash/, 'a tab crashes'],
  [/^(freeze|cache)\(/, 'a tab is frozen'],
  [/^sleep\(/, 'the computer sleeps'],
  [/^online\(\d+, false/, 'the browser is offline'],
  [/^(fault\(|cutStreams\()/, 'requests fail'],
  [/^outage\(/, 'the server is away'],
  [/^restartServer\(/, 'the server restarts'],
  [/^clearStorage\(/, 'the storage is cleared'],
  [/^corrupt\(/, 'a record is damaged'],
  [/^storage\((?!works)/, 'the storage fails'],
  [/^stealLock\(/, 'a lock is stolen'],
  [/^message /, 'messages between tabs go astray'],
  [/^(setClock|jump|drift)\(/, 'clocks are wrong'],
  [/^forget/, 'a call is forgotten'],
  [/^cancel\(/, 'a call is cancelled'],
]

/** What there is to see in a schedule of the tests, for a list of several: how many tabs it has, and what happens to them. */
export function aboutSchedule({ steps }: Recording): string {
  const tabs = new Set(steps.map(({ in: name }) => name).filter((name) => name.startsWith('tab'))).size
  const played = steps.filter((step) => step.in === 'schedule').map(({ text }) => text)
  const events = EVENTS.filter(([step]) => played.some((text) => step.test(text))).map(([, words]) => words)
  return `${tabs} ${tabs === 1 ? 'tab' : 'tabs'}: ${events.join(', ') || 'no faults'}`
}
