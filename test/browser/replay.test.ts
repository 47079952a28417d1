import { afterAll, beforeAll, expect, vi } from 'vitest'
import { readRecording } from '../../src/tools/devtools/recording/recording.js'
import { playRound } from '../chaos/playRound.js'
import { playRecording } from '../replay/playRecording.js'
import { PATIENCE } from '../support/patience.js'
import type { Engine } from './engines/engine.js'
import { test } from './engines/engineTest.js'
import { launchEngine } from './engines/launchEngine.js'
import type { Tab } from './engines/tab.js'
import { startReplayApp } from './replayApp.js'

/** A bug: while it is planted, the client leaves a server alone for half as long as it asks. */
const planted = vi.hoisted(() => ({ isThere: false }))

vi.mock('../../src/core/record/decide.js', async (original) => {
  const decide = await original<typeof import('../../src/core/record/decide.js')>()
  return {
    ...decide,
    decide: ((record, at, policy) => {
      const { heardAt, earliestAt } = record
      const early = planted.isThere ? { ...record, earliestAt: heardAt + (earliestAt - heardAt) / 2 } : record
      return decide.decide(early, at, policy)
    }) satisfies typeof decide.decide,
  }
})

let engine: Engine
let app: Awaited<ReturnType<typeof startReplayApp>>
let tab: Tab

beforeAll(async () => {
  ;[engine, app] = await Promise.all([launchEngine(), startReplayApp()])
  const context = await engine.newContext()
  tab = await context.open()
})

afterAll(async () => {
  await engine?.close()
  await app?.close()
})

/** What the page shows in one place now. */
const shownIn = async (place: string): Promise<string> =>
  (await tab.locator('.places section', { hasText: place }).first().textContent()) ?? ''

test('a bug that is planted is found by random schedules, whose link shows it in the page', async () => {
  planted.isThere = true
  const { failure } = await playRound({ seed: 1, runs: 50, kind: 'lite', twice: false })
  planted.isThere = false
  const [, link = 'no link'] = /To watch it: .*\/replay(#1\.[\w-]+)$/.exec(failure ?? '') ?? []
  await tab.goto(`${app.url}${link}`)
  await tab.getByRole('button', { name: 'What went wrong' }).click()
  await tab.locator('li.fault[aria-current]', { hasText: 'poll too early' }).waitFor(PATIENCE)
  expect(await shownIn('Tab 1')).toMatch(/working|input_required/)
  expect(await shownIn('Server')).toMatch(/task-1: \w+/)
})

test('a recording of a real run is shown step by step, and leads a new client to the same states', async () => {
  await tab.goto(`${app.url}?run`)
  await tab.locator('output').waitFor(PATIENCE)
  const { file, fragment } = JSON.parse((await tab.locator('output').textContent()) ?? '') as Record<string, string>
  const recording = readRecording(String(file))
  if (typeof recording === 'string') throw new Error(recording)
  const { shown } = await playRecording(recording)
  expect(shown.again).toEqual(shown.recorded)
  expect(shown.recorded.map((states) => /"phase":"(\w+)"/.exec(states.at(-1) ?? '')?.[1])).toEqual([
    'completed',
    'cancelled',
  ])

  await tab.goto(`${app.url}${fragment}`)
  await tab.getByText('Calls of render_shot').waitFor(PATIENCE)
  expect(await shownIn('Tab 1')).not.toContain('completed')
  await tab.getByRole('button', { name: 'Next' }).click()
  await tab.locator('output', { hasText: `2 of ${recording.steps.length}` }).waitFor(PATIENCE)
  await (await tab.locator('.replay ol button').all()).at(-1)?.click()
  expect(await shownIn('Tab 1')).toMatch(/render_shot, key-1: completed, task-\d.*render_shot: cancelled, task-\d/)
  expect(await shownIn('Storage')).toContain('render_shot, key-1')
  expect(await shownIn('Server')).toMatch(/task-\d: completed/)
})

test('a schedule that was played is shown from a link on the page, up to its end', async () => {
  await tab.goto(app.url)
  await tab.locator('main ul a').first().click()
  await tab.getByText(/^Schedule \d+ of seed \d+$/).waitFor(PATIENCE)
  await (await tab.locator('.replay ol button').all()).at(-1)?.click()
  expect(await shownIn('Server')).toMatch(/task-\d: \w+/)
})

test('a recording is opened from a file', async () => {
  await tab.goto(app.url)
  await tab.locator('input[type=file]').waitFor(PATIENCE)
  const choose = (text: string) =>
    tab.evaluate<void>(`(() => {
      const files = new DataTransfer()
      files.items.add(new File([${JSON.stringify(text)}], 'recording.json'))
      const input = document.querySelector('input[type=file]')
      input.files = files.files
      input.dispatchEvent(new Event('change'))
    })()`)
  await choose('{}')
  await tab.getByText('The file is not a recording.').waitFor(PATIENCE)
  await choose(
    JSON.stringify({
      title: 'Mine',
      steps: [{ at: 0, in: 'server', text: 'says', set: ['task-1', 'task-1: working'] }],
    }),
  )
  await tab.getByText('Mine').waitFor(PATIENCE)
  expect(await shownIn('Server')).toContain('task-1: working')
})
