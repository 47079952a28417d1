import { describe, expect, it } from 'vitest'
import { hasRedis, WITHOUT_REDIS } from '../../server/support/databases.js'
import type { Backend } from './parts.js'
import { runScaleChaos } from './runScaleChaos.js'

const nothing = {
  'left working': 0,
  'ended twice': 0,
  'tools with effects that ran twice': 0,
  'steps that ran twice': 0,
  'completed without having happened': 0,
  'completed with another result': 0,
  'failed without a true reason': 0,
  cancelled: 0,
}

async function play(backend: Backend): Promise<void> {
  const short = { tasks: 60, webs: 2, workers: 2, faultEveryMs: 1500, patienceMs: 90_000 }
  const report = await runScaleChaos({ backend, ...short })
  expect(report).toMatchObject({ broken: nothing })
  expect(report.ended['completed']).toBeGreaterThan(20)
}

// Real processes and real time: they take as long as they take.
describe('processes that are killed, stopped and cut off', { timeout: 600_000 }, () => {
  it('end each task once and truthfully over Postgres, and run no tool with effects twice', () => play('postgres'))

  it.skipIf(!hasRedis)(
    hasRedis ? 'end each task once and truthfully over Redis, and run no tool with effects twice' : WITHOUT_REDIS,
    () => play('redis'),
  )
})
