/** One change, in numbers that may be anything: each is taken modulo the choices there are, so that fewer choices do no harm. */
export interface Edit {
  /** Which place. */
  readonly where: number
  /** What to do there. */
  readonly how: number
  /** What to put there. */
  readonly what: number
}

/** Names that mean something to JavaScript, to JSON-RPC or to the protocol. */
const NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  'toJSON',
  'length',
  '',
  'id',
  'result',
  'error',
  'taskId',
  'status',
  'resultType',
  '_meta',
  'inputRequests',
  'task',
  'x'.repeat(300),
  '\ud800',
]

/** Values that JSON can hold and that no peer expects. */
const VALUES: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -1,
  () => 0.5,
  () => 2 ** 31,
  () => 2 ** 31 - 1,
  () => 2 ** 53,
  () => 1e21,
  () => -1e308,
  () => '',
  () => '9999-12-31T23:59:59Z',
  () => ' ',
  () => '0',
  () => 'NaN',
  () => '\u0000',
  () => '\ud800',
  () => 'مهمّة\u202e👩‍👩‍👧',
  () => '__proto__',
  () => 'x'.repeat(5000),
  () => 'x y'.repeat(30_000),
  () => 'javascript:alert(1)',
  () => 'https://elsewhere.example/',
  () => '2026-07-28',
  () => '1970-01-01T00:00:00Z',
  () => '2026-02-31T25:61:61Z',
  () => 'working',
  () => 'input_required',
  () => 'completed',
  () => 'failed',
  () => 'cancelled',
  () => 'dancing',
  () => 'task',
  () => 'complete',
  () => 'elicitation/create',
  () => [],
  () => ({}),
  () => [null],
  () => ['x', ['x']],
  () => ({ __proto__: null, toString: null }),
  () => withOwn({}, '__proto__', { polluted: true }),
  () => ({ constructor: { prototype: { polluted: true } } }),
  () => nested(60),
  () => nested(400),
]

/** A place in a value: what holds it, and under which name. */
interface Place {
  readonly holder: Record<string, unknown>
  readonly name: string
}

/** Places looked at: what lies deeper than these is not worth the time. */
const MAX_PLACES = 400

/**
 * A copy of plain data with changes: types swapped, members removed, renamed, doubled, moved and added.
 * `moreValues` are values beside those of every run.
 */
export function mutateJson(value: unknown, edits: readonly Edit[], moreValues: readonly unknown[] = []): unknown {
  // The value itself can be replaced, too.
  const root: Record<string, unknown> = { value: structuredClone(value) }
  for (const edit of edits) change(root, edit, moreValues)
  return root['value']
}

function change(root: Record<string, unknown>, { where, how, what }: Edit, moreValues: readonly unknown[]): void {
  const places = placesIn(root)
  const place = places[where % places.length]
  if (place === undefined) return
  const { holder, name } = place
  const current = holder[name]
  const pick = what % (VALUES.length + moreValues.length)
  const replacement = VALUES[pick]?.() ?? moreValues[pick - VALUES.length] ?? null
  const newName = NAMES[what % NAMES.length] ?? ''
  switch (how % 9) {
    case 0:
    case 1:
    case 2:
      withOwn(holder, name, replacement)
      break
    case 3:
      if (holder !== root) delete holder[name]
      break
    case 4:
      if (holder !== root) delete holder[name]
      withOwn(holder, newName, current)
      break
    case 5:
      if (isHolder(current)) withOwn(current, newName, replacement)
      else withOwn(holder, name, [current])
      break
    case 6: {
      const other = places[what % places.length]
      if (other !== undefined) withOwn(holder, name, structuredClone(other.holder[other.name]))
      break
    }
    case 7:
      withOwn(holder, name, wrapped(current, what))
      break
    case 8:
      withOwn(holder, name, otherType(current))
      break
  }
}

/** Every place in a value, breadth first. */
function placesIn(root: Record<string, unknown>): Place[] {
  const places: Place[] = []
  const holders = [root]
  for (let holder = holders.shift(); holder !== undefined && places.length < MAX_PLACES; holder = holders.shift()) {
    for (const name of Object.keys(holder)) {
      places.push({ holder, name })
      const inner = holder[name]
      if (isHolder(inner)) holders.push(inner)
    }
  }
  return places
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Sets a member as `JSON.parse` does: `__proto__` is a name like any other. */
function withOwn<T extends object>(holder: T, name: string, value: unknown): T {
  // The one member that cannot be anything.
  if (Array.isArray(holder) && name === 'length') return holder
  return Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true })
}

function wrapped(value: unknown, what: number): unknown {
  if (what % 3 === 0) return { value }
  return what % 3 === 1 ? [value, value] : { [NAMES[what % NAMES.length] ?? '']: value }
}

function otherType(value: unknown): unknown {
  if (typeof value === 'string') return Number(value) || [value]
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return Object.fromEntries(value.entries())
  return isHolder(value) ? Object.entries(value) : 'null'
}

function nested(levels: number): unknown {
  let value: unknown = 'bottom'
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { in: value }
  return value
}
