import { describe, expect, it } from 'vitest'
import { problemOfName, suggestName } from '../../create/src/packageName.js'

describe('the name of a package', () => {
  it.each(['app', 'my-app', 'my.app_2', '7', 'a'.repeat(214)])('may be %s', (name) => {
    expect(problemOfName(name)).toBeUndefined()
  })

  it.each([
    ['', 'is empty', undefined],
    ['My App', 'has capital letters', 'my-app'],
    ['my app', 'has spaces', 'my-app'],
    ['.app', 'begins with "."', 'app'],
    ['_app', 'begins with "_"', 'app'],
    ['-app', 'begins with "-"', 'app'],
    ['café', 'has the character "é"', 'cafe'],
    ['a&b!', 'has the character "&"', 'a-b'],
    ['@acme', 'has the character "@"', 'acme'],
    ['日本', 'has the character "日"', undefined],
    ['node_modules', 'is a name that npm keeps for itself', undefined],
    ['a'.repeat(215), 'is longer than 214 characters', 'a'.repeat(214)],
  ])('cannot be "%s": it %s, and %s is near', (name, problem, suggestion) => {
    expect(problemOfName(name)).toBe(problem)
    expect(suggestName(name)).toBe(suggestion)
  })
})
