import { createTaskClient, type ToolCallState } from 'taskwire'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fleet, startFleet } from '../../../demo/scale/fleet.js'
import type { Backend } from '../../../demo/scale/parts.js'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../../server/support/databases.js'
import { longCall } from './longTool.js'

/** Long enough that a busy machine does not lose workers by itself. */
const LEASE_MS = 2000
/** By then, some parts of the work are done, and some are not. */
const CUT_AT = 'begin part 4'

function describeDemo(backend: Backend): void {
  let database: Database
  let web: Fleet
  let work: Fleet
  /** What workers have printed: each step of the task, as it begins and ends. */
  const steps: { line: string; place: number }[] = []
  let onStep = (_line: string, _place: number) => {}

  beforeAll(async () => {
    database = await (backend === 'redis' ? startRedis() : startPostgres())
    const program = new URL('../../../demo/scale/process.ts', import.meta.url)
    const args = (role: string) => [role, backend, database.url, String(LEASE_MS)]
    web = startFleet({ program, args: args('web'), size: 1 })
    work = startFleet({
      program,
      args: args('worker'),
      size: 2,
      onLine(line, place) {
        steps.push({ line, place })
        onStep(line, place)
      },
    })
    await Promise.all([web.ready(), work.ready()])
  }, 120_000)

  afterAll(async () => {
    await Promise.all([web?.stop(), work?.stop()])
    await database?.stop()
  })

  it.each([true, false])('is a wait to the page, and nothing else (pushed: %s)', async (push) => {
    steps.length = 0
    let killed: number | undefined
    onStep = (line, place) => {
      if (line !== CUT_AT || killed !== undefined) return
      killed = place
      work.signal(place, 'SIGKILL')
    }
    const calls: string[] = []
    const client = createTaskClient({
      url: String(web.urls[0]),
      storage: 'memory',
      push,
      transportOptions: {
        fetch(url, init) {
          if (String(init?.body).includes('"tools/call"')) calls.push(String(init?.body))
          return fetch(url, init)
        },
      },
    })
    const states: ToolCallState[] = []
    const call = client.startToolCall(longCall)
    call.subscribe(() => states.push(call.getState()))
    const result = await call.result
    await client.close()

    expect(killed).toBeDefined()
    expect(result.isError).not.toBe(true)
    expect(calls).toHaveLength(1)
    expect(inTurn(states.map(({ phase }) => phase))).toEqual(['working', 'completed'])
    expect(inTurn(states.map(({ network }) => network))).toEqual(['ok'])
    const progress = states.flatMap((state) => state.progress?.progress ?? [])
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    // Each part was done once; the one that was cut off has begun twice, in another worker.
    const ended = steps.filter(({ line }) => line.startsWith('end'))
    expect(new Set(ended.map(({ line }) => line)).size).toBe(ended.length)
    expect(steps.filter(({ line }) => line === CUT_AT)).toHaveLength(2)
    expect(steps.filter(({ line }) => line.startsWith('begin'))).toHaveLength(ended.length + 1)
  })
}

/** Each value once for as long as it stays the same. */
function inTurn<T>(values: readonly T[]): T[] {
  return values.filter((value, index) => value !== values[index - 1])
}

// Real processes and real time: they take as long as they take.
describe('a worker that is killed in the middle of a render of the demo', { timeout: 120_000 }, () => {
  describe('over Postgres', () => describeDemo('postgres'))

  describe.skipIf(!hasRedis)(hasRedis ? 'over Redis' : WITHOUT_REDIS, () => describeDemo('redis'))
})
