import { expect, it } from 'vitest'
import { aboutSchedule, placesAfter, readFragment } from '../../docs/.vitepress/theme/replay/recording.js'
import seen from '../seeded/seen.json' with { type: 'json' }
import { toFragment, toSteps } from './recording.js'

const shown = (state: object) => `shows ${JSON.stringify({ callId: '15efc2ed0000', name: 'work', key: 'a', ...state })}`
const RECORD = { tool: 'work', key: 'a', task: { taskId: 'task-1', status: 'working' } }

const LINES = [
  '0 tab1 opens',
  `5 tab1 ${shown({ phase: 'calling', network: 'ok', arguments: { secret: 'secret' } })}`,
  '5 tab1 timer 1000',
  '5 [["authorization","secret"]] {"params":"secret"}',
  '9   tab1 ← tools/call task-1 working',
  `9 tab1 writes taskwire:1:159a:15efc2ed0000 ${JSON.stringify(RECORD)}`,
  `10 tab1 ${shown({ phase: 'working', network: 'retrying', task: { taskId: 'task-1', statusMessage: 'step 1' } })}`,
  `10 tab1 lock taskwire:159a:${'15efc2ed'.padEnd(28, '0')}, stolen`,
  '20 # crash(0) in place 0',
  '20 tab1 ends (crash)',
  '30 tab2 opens',
  '31 tab2 removes taskwire:1:159a:15efc2ed0000',
  '40 !! task lost: task-1',
]

const playedTo = async (count: number) => {
  const recording = await readFragment(toFragment('lost', toSteps(LINES)))
  const places = recording === undefined ? [] : placesAfter(recording, count)
  return Object.fromEntries(
    places.map(({ name, shown: what, isOver }) => [name, [...what.values(), ...(isOver ? ['over'] : [])]]),
  )
}

it('plays a recording in a page from the fragment of its URL: what tabs show, what is stored and what the server says', async () => {
  expect(await playedTo(1)).toEqual({ tab1: [], storage: [], server: [] })
  expect(await playedTo(4)).toEqual({
    tab1: ['work, a: calling'],
    storage: ['work, a: task-1, working'],
    server: ['task-1: working'],
  })
  expect(await playedTo(99)).toEqual({
    tab1: ['work, a: working, retrying, task-1, step 1', 'over'],
    tab2: [],
    storage: [],
    server: ['task-1: working'],
  })
})

it('leaves timers, headers and arguments out of a recording', () => {
  const steps = toSteps(LINES)
  expect(steps.map(({ text }) => text)).not.toContain('timer 1000')
  expect(JSON.stringify(steps)).not.toContain('secret')
  expect(steps.map(({ text }) => text)).toContain('asks for the lock 15efc2, stolen')
  expect(steps.at(-1)).toEqual({ at: 40, in: 'fault', text: 'task lost: task-1' })
})

it('refuses a fragment whose end is missing, and finds no recording in another one', async () => {
  await expect(readFragment(toFragment('lost', toSteps(LINES)).slice(0, -20))).rejects.toThrow()
  await expect(readFragment('#what-holds')).resolves.toBeUndefined()
})

it('can read the schedules to which the page links', async () => {
  const links = Object.values(seen.runs).flatMap((run) => ('link' in run ? run.link : []))
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) expect((await readFragment(link))?.steps.length).toBeGreaterThan(100)
})

it('says of each schedule to which the page links what happens in it, no two alike', async () => {
  const lines = [...LINES, '31000 # clearStorage()', '32000 # heal']
  expect(aboutSchedule({ title: 'lost', steps: toSteps(lines) })).toBe('2 tabs: a tab crashes, the storage is cleared')
  expect(aboutSchedule({ title: 'quiet', steps: toSteps(['0 tab1 opens']) })).toBe('1 tab: no faults')
  const links = Object.values(seen.runs).flatMap((run) => ('link' in run ? run.link : []))
  const abouts = await Promise.all(
    links.map(async (link) => aboutSchedule((await readFragment(link)) ?? { title: '', steps: [] })),
  )
  expect(new Set(abouts).size).toBe(links.length)
  for (const about of abouts) expect(about).toMatch(/^\d+ tabs: (?!no faults)/)
})
