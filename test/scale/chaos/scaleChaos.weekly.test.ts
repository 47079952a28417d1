import { describe, expect, it } from 'vitest'
import { hasRedis, WITHOUT_REDIS } from '../../server/support/databases.js'
import type { Backend } from './documentedFiles.js'
import { runScaleChaos } from './runScaleChaos.js'

async function play(backend: Backend): Promise<void> {
  const short = { seed: 1, tasks: 60, webs: 2, workers: 2, faultEveryMs: 1500, patienceMs: 120_000 }
  const { broken, ended, stories } = await runScaleChaos({ backend, ...short })
  expect({ broken, stories }).toEqual({
    broken: Object.fromEntries(Object.keys(broken).map((name) => [name, 0])),
    stories: [],
  })
  expect(Object.keys(broken)).toHaveLength(14)
  expect(ended['completed']).toBeGreaterThan(20)
}

// Real processes and real time: they take as long as they take.
describe('the documented files, whose processes are killed, stopped and cut off', { timeout: 600_000 }, () => {
  it('end each task once and truthfully over Postgres, and run no tool with effects twice', () => play('postgres'))

  it.skipIf(!hasRedis)(
    hasRedis ? 'end each task once and truthfully over Redis, and run no tool with effects twice' : WITHOUT_REDIS,
    () => play('redis'),
  )
})
