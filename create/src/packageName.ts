/** Names that npm keeps for itself. */
const TAKEN = ['node_modules', 'favicon.ico']

const MAX_LENGTH = 214

/**
 * What is wrong with the name of a package, as the end of a sentence that begins with the name; undefined if npm takes it.
 * https://docs.npmjs.com/cli/configuring-npm/package-json#name
 */
export function problemOfName(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`
  if (/^[._-]/.test(name)) return `begins with "${name[0]}"`
  if (/[A-Z]/.test(name)) return 'has capital letters'
  if (/\s/.test(name)) return 'has spaces'
  const strange = /[^a-z0-9._~-]/.exec(name)?.[0]
  if (strange !== undefined) return `has the character "${strange}"`
  if (TAKEN.includes(name)) return 'is a name that npm keeps for itself'
  return undefined
}

/** The nearest name that npm takes; undefined where nothing of the name is left. */
export function suggestName(name: string): string | undefined {
  const suggestion = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
    .slice(0, MAX_LENGTH)
  return problemOfName(suggestion) === undefined ? suggestion : undefined
}
