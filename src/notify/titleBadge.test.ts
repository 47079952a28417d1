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

it('counts in front of the title, and gives the title back', () => {
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

it('keeps a title that the app has set meanwhile', () => {
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

it('leaves numbers alone that are of the app', () => {
  const { at, attention } = page('(7) messages')
  const badge = createTitleBadge(attention)
  badge.clear()
  badge.add()
  expect(at.title).toBe('(1) (7) messages')
  badge.clear()
  expect(at.title).toBe('(7) messages')
})

it('stands beside the badge of another client, in whatever order they come and go', () => {
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
