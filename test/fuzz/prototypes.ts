const WATCHED: readonly (readonly [name: string, object: object])[] = [
  ['Object.prototype', Object.prototype],
  ['Array.prototype', Array.prototype],
  ['Function.prototype', Function.prototype],
  ['String.prototype', String.prototype],
  ['Number.prototype', Number.prototype],
  ['Error.prototype', Error.prototype],
  ['Promise.prototype', Promise.prototype],
  ['Map.prototype', Map.prototype],
  ['Object', Object],
]

const EXPECTED = WATCHED.map(([, object]) => new Set(Reflect.ownKeys(object)))

/** What has been added to the prototypes that everything inherits from. Takes it away again. */
export function takePollution(): string[] {
  return WATCHED.flatMap(([name, object], index) =>
    Reflect.ownKeys(object).flatMap((key) => {
      if (EXPECTED[index]?.has(key)) return []
      Reflect.deleteProperty(object, key)
      return [`${name}.${String(key)}`]
    }),
  )
}

const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, Array.prototype, null])

/** The path to an object in plain data whose prototype is somebody else's; undefined where there is none. */
export function foreignPrototype(value: unknown): string | undefined {
  const places: (readonly [path: string, value: object])[] = []
  const add = (path: string, inner: unknown) => {
    if (typeof inner === 'object' && inner !== null && !(inner instanceof Error)) places.push([path, inner])
  }
  add('', value)
  for (let looked = 0; looked < 2000; looked++) {
    const next = places.pop()
    if (next === undefined) return undefined
    const [path, object] = next
    if (!PLAIN.has(Object.getPrototypeOf(object))) return path
    for (const key of Object.keys(object)) add(`${path}.${key}`.slice(-200), (object as Record<string, unknown>)[key])
  }
  return undefined
}
