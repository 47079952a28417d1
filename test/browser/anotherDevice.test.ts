import { expect, onTestFinished, test } from 'vitest'
import { launchEngine } from './engines/launchEngine.js'
import { startReportApp } from './reportApp.js'

test('a call that one browser has made goes on in another one, by the records at the backend', async () => {
  const app = await startReportApp()
  onTestFinished(app.close)
  const engine = await launchEngine()
  onTestFinished(engine.close)
  const open = async (device: string) => {
    const context = await engine.newContext()
    const tab = await context.open()
    await tab.goto(`${app.url}?storage=backend&tab=${device}`)
    await tab.locator('output', { hasText: 'working, ok' }).waitFor()
    return { context, tab, done: () => tab.locator('output', { hasText: 'completed, ok, Harbour at dawn:' }).waitFor() }
  }
  const laptop = await open('laptop')
  const phone = await open('phone')
  // What the phone shows is what it asks for itself.
  await expect.poll(() => app.received('tasks/get').map(({ headers }) => headers.get('tab'))).toContain('phone')
  await laptop.context.close()
  await app.finish()
  await phone.done()
  expect(app.received('tools/call').map(({ headers }) => headers.get('tab'))).toEqual(['laptop'])

  const tablet = await engine.newContext()
  const late = await tablet.open()
  await late.goto(`${app.url}?storage=backend&tab=tablet`)
  await late.locator('output', { hasText: 'completed, ok, Harbour at dawn:' }).waitFor()
  expect(app.received('tools/call')).toHaveLength(1)
})
