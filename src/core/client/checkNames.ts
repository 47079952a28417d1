import { TaskConfigurationError } from '../protocol/errors.js'
import { mustBe } from './mustBe.js'

/** Names of options by the group that they are in; those in no group under `''`. */
export type OptionNames = Readonly<Record<string, readonly string[]>> & { readonly '': readonly string[] }

/** What an error says of a name that is no option, beside the names of the options. */
export interface OptionAdvice {
  /** More names to suggest, by group: options that another package takes. Those groups are not checked. */
  readonly suggested?: Readonly<Record<string, readonly string[]>>
  /** What to do instead, by the name. */
  readonly instead?: Readonly<Record<string, string>>
}

/** The names of the members of `T`: without the name of a member that is added to `T`, this does not compile. */
export type NamesOf<T> = Readonly<Record<keyof T, true>>

/**
 * Refuses options that are in no group and not among the names.
 *
 * @throws {TaskConfigurationError} as {@link checkNames}.
 */
export function checkMembers(options: object, names: Readonly<Record<string, true>>, advice?: OptionAdvice): void {
  checkNames(options, { '': Object.keys(names) }, advice)
}

/**
 * Refuses options that do not exist. `enabled` comes first in the message: where it is ignored, a tool is called.
 *
 * @throws {TaskConfigurationError} that says for each of them which option has the nearest name.
 */
export function checkNames(options: object, known: OptionNames, advice: OptionAdvice = {}): void {
  const unknown = Object.entries(known).flatMap(([group, names]) =>
    Object.keys(groupOf(options, group))
      .filter((name) => !names.includes(name))
      .map((name) => ({ name, group })),
  )
  if (unknown.length === 0) return
  unknown.sort((a, b) => Number(b.name === 'enabled') - Number(a.name === 'enabled'))
  const all = { ...known, ...advice.suggested }
  const sentences = unknown.map(({ name, group }) => {
    const what = advice.instead?.[name] ?? `Did you mean ${nearestTo(name, group, all)}?`
    return `There is no option ${pathOf(group, name)}. ${what}`
  })
  throw new TaskConfigurationError(sentences.join(' '))
}

function groupOf(options: object, group: string): object {
  const value = group === '' ? options : valueAt(options, group.split('.'))
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null) return value
  throw mustBe(group, value, 'an object')
}

function valueAt(options: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], options)
}

function nearestTo(name: string, ownGroup: string, known: Readonly<Record<string, readonly string[]>>): string {
  const all = Object.entries(known).flatMap(([group, names]) =>
    names.map((each) => ({
      path: pathOf(group, each),
      // Of names as near, the one in the same place.
      distance: distance(name.toLowerCase(), each.toLowerCase()) + (group === ownGroup ? 0 : 0.5),
    })),
  )
  return all.reduce((best, each) => (each.distance < best.distance ? each : best)).path
}

function pathOf(group: string, name: string): string {
  return group === '' ? name : `${group}.${name}`
}

/** That of a short form, such as `args` for `arguments`, is that of one letter. */
function distance(name: string, option: string): number {
  const edits = editDistance(name, option)
  return isShortFor(name, option) ? Math.min(edits, 1) : edits
}

/** True if the letters of the option begin with the same one, and contain those of the name in their order. */
function isShortFor(name: string, option: string): boolean {
  if (name.length < 2 || name[0] !== option[0]) return false
  let at = -1
  return [...name].every((letter) => {
    at = option.indexOf(letter, at + 1)
    return at >= 0
  })
}

/** How many letters must be added, removed or replaced to make one of the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries())
      next.push(Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    row = next
  }
  return row[b.length] ?? 0
}
