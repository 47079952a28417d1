/** Something that happened. */
export interface Step {
  /** ms since the beginning. */
  at: number
  /** A tab, `storage`, `server`, `schedule`, or `fault`. */
  in: string
  text: string
  /** What there is to see from now on; null where it is gone. */
  set?: [id: string, what: string | null]
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
  const { title, steps } = Object(JSON.parse(text)) as Partial<Recording>
  if (typeof title !== 'string' || !Array.isArray(steps) || steps.length === 0)
    throw new TypeError('This is no recording.')
  return { title, steps: steps.filter(isStep) }
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
