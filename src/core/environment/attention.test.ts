import { expect, it, vi } from 'vitest'
import { pageAttention } from './attention.js'

class FakeNotification extends EventTarget {
  static readonly permission = 'granted'
  static readonly requestPermission = async () => 'granted'
  static readonly shown: FakeNotification[] = []
  readonly close = vi.fn()
  readonly title: string
  readonly options: NotificationOptions

  constructor(title: string, options: NotificationOptions) {
    super()
    this.title = title
    this.options = options
    FakeNotification.shown.push(this)
  }
}

it('attention does nothing and throws nothing without a page', () => {
  const attention = pageAttention()
  attention.setTitle('a')
  attention.focus()
  expect(attention.title()).toBe('')
  expect(attention.notifications).toBeUndefined()
})

it('attention has no notifications if the page has none', () => {
  vi.stubGlobal('document', { title: 'My app' })
  expect(pageAttention().notifications).toBeUndefined()
})

it('attention is the title, the window and the notifications of the page', async () => {
  const focus = vi.fn()
  const page = { title: 'My app' }
  vi.stubGlobal('document', page)
  vi.stubGlobal('window', { focus })
  vi.stubGlobal('Notification', FakeNotification)
  const { title, setTitle, notifications, focus: show } = pageAttention()
  setTitle(`(1) ${title()}`)
  expect(page.title).toBe('(1) My app')
  expect(notifications?.permission()).toBe('granted')
  expect(await notifications?.requestPermission()).toBe('granted')
  const close = notifications?.show({ title: 'work is done', tag: 'a' }, show)
  const [shown] = FakeNotification.shown
  expect(shown).toMatchObject({ title: 'work is done', options: { tag: 'a' } })
  close?.()
  expect(shown?.close).toHaveBeenCalledTimes(1)
  shown?.dispatchEvent(new Event('click'))
  expect(focus).toHaveBeenCalledTimes(1)
  expect(shown?.close).toHaveBeenCalledTimes(2)
})
