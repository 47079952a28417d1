import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REQUIREMENTS as CLIENT_REQUIREMENTS } from './requirements.js'
import { SERVER_REQUIREMENTS } from './serverRequirements.js'

const REQUIREMENTS = { ...CLIENT_REQUIREMENTS, ...SERVER_REQUIREMENTS }

/** The requirements that each test file cites. */
function readCitations(): Map<string, string[]> {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  const tests = files.filter((path) => /\.test\.tsx?$/.test(path))
  return new Map(
    tests.map((path) => [
      path,
      [...readFileSync(path, 'utf8').matchAll(/\[((?:TASK|CORE|SERVER)-[A-Z-]+)\]/g)].map(([, id = '']) => id),
    ]),
  )
}

test('every requirement of the specification is cited by a test', () => {
  const cited = new Set([...readCitations().values()].flat())
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([])
})

test('no test cites a requirement that there is not', () => {
  const unknown = [...readCitations()].flatMap(([path, ids]) =>
    ids.filter((id) => !Object.hasOwn(REQUIREMENTS, id)).map((id) => `${path}: ${id}`),
  )
  expect(unknown).toEqual([])
})
