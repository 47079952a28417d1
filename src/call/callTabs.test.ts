import { expect, it } from 'vitest'
import { NOOP_CALL_TABS } from './callTabs.js'

it('a page that is alone polls every task, steals no lead and has nobody to tell', async () => {
  const { isAlone, hasPeers, isLeader, leadershipOf, lock, exclusively } = NOOP_CALL_TABS
  expect([isAlone, hasPeers(), isLeader()]).toEqual([true, false, true])
  const leadership = leadershipOf('t1')
  leadership.steal()
  expect([leadership.isLeader(), leadership.wasStolen()]).toEqual([true, false])
  leadership.join()()
  leadership.onChange(() => {})()
  expect(leadership.isLeader()).toBe(true)

  const { signal } = new AbortController()
  const unlock = await lock('c1', signal)
  unlock()
  let ran = 0
  await exclusively('input', signal, async () => {
    ran += 1
  })
  expect(ran).toBe(1)
})
