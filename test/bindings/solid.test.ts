import { expect, it } from 'vitest'
import { callThatAsks, formRequest } from '../support/askingCall.js'
import { describeBinding } from './contract.js'
import { solidBinding } from './solidBinding.js'

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
