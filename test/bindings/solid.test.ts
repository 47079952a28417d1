import { expect, it } from 'vitest'
import { callThatAsks, formRequest } from '../support/askingCall.js'
import { describeBinding } from './contract.js'
import { solidBinding } from './solidBinding.js'
import { createWorld } from './world.js'

describeBinding(solidBinding)

it('keeps the fields of a form the same objects while the user types, so that <For> keeps their elements', async () => {
  const page = solidBinding.openPage(undefined)
  const properties = { reason: { type: 'string' }, regions: { type: 'array', items: { enum: ['a', 'b'] } } }
  const { source, sent } = callThatAsks(formRequest({ type: 'object', properties }))
  const { shown } = page.mount('useElicitationForm', source)
  const before = [...shown.fields]
  shown.set('reason', 'Fixes it')
  shown.toggle('regions', 'b')
  shown.toggle('regions', 'a')
  expect([...shown.fields]).toEqual(before)
  shown.fields.forEach((field, index) => {
    expect(field).toBe(before[index])
  })
  expect(shown.fields.map(({ value }) => value)).toEqual(['Fixes it', ['a', 'b']])
  await shown.submit()
  expect(sent()).toEqual([{ action: 'accept', content: { reason: 'Fixes it', regions: ['a', 'b'] } }])
  await page.close()
})

it('lists an input request as the same object while its call changes, so that <For> keeps its form', async () => {
  const world = createWorld(solidBinding, { name: 'the same object', run: async () => {} })
  const view = world.mount('useInputRequests', {}, ([first]) => `${first?.response?.status}`)
  world.client.startToolCall({ name: 'ask', arguments: { questions: ['First?', 'Second?'] } })
  await world.advance(3000)
  const [first, second] = view.shown
  await first?.respond({ action: 'accept', content: { ok: 'perhaps' } }).catch(() => {})
  expect(view.shown[0]).toBe(first)
  expect(view.text).toBe('rejected')
  await first?.respond({ action: 'decline' })
  await world.advance(2000)
  expect(view.shown).toHaveLength(1)
  expect(view.shown[0]).toBe(second)
  await world.close()
})
