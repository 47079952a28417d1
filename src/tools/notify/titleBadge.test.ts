import { expect, it } from 'vitest'
import { createTitleBadge } from './titleBadge.js'

function page(title: string) {
  const at = { title }
  const attention = {
    title: () => at.title,
    setTitle: (next: string) => {
      at.title = next
    },
  }
  return { at, attention }
}

it('the badge counts in front of the title, and restores the title', () => {
  const { at, attention } = page('My app')
  const badge = createTitleBadge(attention)
  badge.add()
  badge.add()
  expect(at.title).toBe('(2) My app')
  badge.clear()
  expect(at.title).toBe('My app')
  badge.add()
  expect(at.title).toBe('(1) My app')
})

it('the badge keeps a title that the app has set meanwhile', () => {
  const { at, attention } = page('My app')
  const badge = createTitleBadge(attention)
  badge.add()
  at.title = 'Inbox'
  badge.clear()
  expect(at.title).toBe('Inbox')
  badge.add()
  at.title = 'Outbox'
  badge.add()
  expect(at.title).toBe('(2) Outbox')
})

it('the badge leaves numbers in the title of the app alone', () => {
  const { at, attention } = page('(7) messages')
  const badge = createTitleBadge(attention)
  badge.clear()
  badge.add()
  expect(at.title).toBe('(1) (7) messages')
  badge.clear()
  expect(at.title).toBe('(7) messages')
})

it('the badges of two clients stand beside each other, in any order of coming and going', () => {
  const { at, attention } = page('My app')
  const [one, two] = [createTitleBadge(attention), createTitleBadge(attention)]
  one.add()
  two.add()
  two.add()
  expect(at.title).toBe('(2) (1) My app')
  one.clear()
  expect(at.title).toBe('(2) My app')
  two.clear()
  expect(at.title).toBe('My app')
})
