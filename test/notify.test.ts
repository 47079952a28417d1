import type { TaskClient } from 'taskwire'
import { type Attention, type NotifyOptions, notifyWhenSettled, type SettledNotifications } from 'taskwire/notify'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

interface Shown {
  title: string
  body?: string | undefined
  tag: string
  click: () => void
}

let server: TestServer
/** What stands in the notification centre: one for each tag. */
let shown: Map<string, Shown>
/** How often a notification was shown. */
let count: number
let permission: NotificationPermission

beforeEach(() => {
  server = createWorkServer()
  shown = new Map()
  count = 0
  permission = 'granted'
})

interface Tab {
  page: SimulatedPage
  client: TaskClient
  title: () => string
  focus: ReturnType<typeof vi.fn>
  notify: SettledNotifications
}

function openTab(options: NotifyOptions = {}, own: Partial<Attention> = {}): Tab {
  const page = server.browser.openPage()
  let title = 'My app'
  const focus = vi.fn()
  const attention: Attention = {
    title: () => title,
    setTitle: (next) => {
      title = next
    },
    focus,
    notifications: {
      permission: () => permission,
      requestPermission: async () => {
        permission = 'granted'
        return permission
      },
      show: (notification, click) => {
        count += 1
        shown.set(notification.tag, { ...notification, click })
        return () => shown.delete(notification.tag)
      },
    },
    ...own,
  }
  const client = createTaskClient({ url: server.url, environment: page.environment })
  const notify = notifyWhenSettled(client, { ...options, environment: { ...page.environment, ...attention } })
  return { page, client, title: () => title, focus, notify }
}

const work = (seconds: number, outcome = 'success') => ({ name: 'work', arguments: { seconds, outcome } })

const titles = () => [...shown.values()].map(({ title }) => title)

describe('a call that settles', () => {
  it('is notified of while the page is hidden, under its id, and counted in the title', async () => {
    const { page, client, title } = openTab()
    const calls = [client.startToolCall(work(1)), client.startToolCall(work(2, 'failure'))]
    await server.advance(100)
    await page.setVisible(false)
    await server.advance(5000)
    expect(titles()).toEqual(['work is done', 'work has failed'])
    expect([...shown.keys()]).toEqual(calls.map(({ callId }) => callId))
    expect(title()).toBe('(2) My app')
    await page.setVisible(true)
    expect(title()).toBe('My app')
    expect(titles()).toEqual([])
  })

  it('is named as the app has noted it', async () => {
    const { page, client } = openTab()
    client.startToolCall(work(1), { key: 'k', meta: { title: 'Report of Q3' } })
    await page.setVisible(false)
    await server.advance(5000)
    expect(titles()).toEqual(['Report of Q3 is done'])
  })

  it('is left alone while the user looks at the page', async () => {
    const { client, title } = openTab()
    client.startToolCall(work(1))
    await server.advance(5000)
    expect(count).toBe(0)
    expect(title()).toBe('My app')
  })

  it('is notified of in a visible page, too, where the app wants it', async () => {
    const { client, title } = openTab({ onlyHidden: false })
    client.startToolCall(work(1))
    await server.advance(5000)
    expect(titles()).toEqual(['work is done'])
    expect(title()).toBe('My app')
  })

  it('is told of in the words of the app, and not at all where the app filters it', async () => {
    const { page, client } = openTab({
      title: ({ name }) => `Ready: ${name}`,
      body: 'Have a look',
      filter: ({ phase }) => phase === 'completed',
    })
    client.startToolCall(work(1))
    client.startToolCall(work(1, 'failure'))
    await page.setVisible(false)
    await server.advance(5000)
    expect([...shown.values()]).toMatchObject([{ title: 'Ready: work', body: 'Have a look' }])
  })

  it('brings its page to the front when the notification is clicked', async () => {
    const { page, client, focus } = openTab()
    client.startToolCall(work(1))
    await page.setVisible(false)
    await server.advance(5000)
    for (const { click } of shown.values()) click()
    expect(focus).toHaveBeenCalledTimes(1)
  })

  it('is not told of any more after stop(), which takes the badge away', async () => {
    const { page, client, title, notify } = openTab()
    const others = page.listeners()
    client.startToolCall(work(1))
    client.startToolCall(work(10))
    await page.setVisible(false)
    await server.advance(5000)
    expect(title()).toBe('(1) My app')
    notify.stop()
    expect(title()).toBe('My app')
    await server.advance(10_000)
    expect(count).toBe(1)
    await client.close()
    expect(page.listeners()).toBeLessThan(others)
    expect(page.channels()).toBe(0)
  })
})

describe('several tabs', () => {
  it('show one notification of a call', async () => {
    const tabs = [openTab(), openTab(), openTab()]
    for (const { client } of tabs) client.startToolCall(work(2), { key: 'k' })
    await server.advance(500)
    for (const { page } of tabs) await page.setVisible(false)
    await server.advance(10_000)
    expect(titles()).toEqual(['work is done'])
    expect(tabs.map(({ title }) => title())).toEqual(['(1) My app', '(1) My app', '(1) My app'])
  })

  it('show none while the user looks at one of them', async () => {
    const tabs = [openTab(), openTab(), openTab()]
    for (const { client } of tabs) client.startToolCall(work(2), { key: 'k' })
    await server.advance(500)
    for (const { page } of tabs.slice(1)) await page.setVisible(false)
    await server.advance(10_000)
    expect(count).toBe(0)
  })

  it.each([[{ key: 'k' }], [{}]])(
    'show none while the user looks at one that has not made the call: %j',
    async (options) => {
      const [made] = [openTab(), openTab()]
      await made.page.setVisible(false)
      made.client.startToolCall(work(2), options)
      await server.advance(10_000)
      expect(count).toBe(0)
    },
  )

  it('show none where the user comes to one of them while another one waits to notify', async () => {
    const [made, other] = [openTab(), openTab()]
    for (const { page } of [made, other]) await page.setVisible(false)
    let isSettled = false
    made.client.onToolCallSettled(() => {
      isSettled = true
    })
    made.client.startToolCall(work(1), { key: 'k' })
    while (!isSettled) await server.advance(10)
    await server.advance(100)
    await other.page.setVisible(true)
    await server.advance(5000)
    expect(count).toBe(0)
    expect(made.title()).toBe('(1) My app')
  })

  it('show one each time that a call of the same key is made', async () => {
    const { page, client } = openTab()
    const other = openTab()
    await page.setVisible(false)
    await other.page.setVisible(false)
    client.startToolCall(work(1), { key: 'k' })
    await server.advance(15_000)
    client.startToolCall(work(1), { key: 'k', repeat: 'always' })
    await server.advance(15_000)
    expect(count).toBe(2)
  })
})

describe('the permission to notify', () => {
  it('is asked for by a click only', async () => {
    permission = 'default'
    const requestPermission = vi.fn(async () => permission)
    const notifications = { permission: () => permission, requestPermission, show: vi.fn(() => () => {}) }
    const { page, client, title, notify } = openTab({}, { notifications })
    client.startToolCall(work(1))
    await page.setVisible(false)
    await server.advance(5000)
    expect(requestPermission).not.toHaveBeenCalled()
    expect(notifications.show).not.toHaveBeenCalled()
    expect(title()).toBe('(1) My app')
    const { requestPermission: onClick } = notify
    await onClick()
    expect(requestPermission).toHaveBeenCalledTimes(1)
  })

  it('is denied where there are no notifications or the browser will not ask, and the title still counts', async () => {
    const { page, client, title, notify } = openTab({}, { notifications: undefined })
    client.startToolCall(work(1))
    await page.setVisible(false)
    await server.advance(5000)
    expect(await notify.requestPermission()).toBe('denied')
    expect(title()).toBe('(1) My app')
    permission = 'denied'
    const notifications = {
      permission: () => permission,
      requestPermission: () => Promise.reject(new Error('no gesture')),
      show: () => () => {},
    }
    expect(await openTab({}, { notifications }).notify.requestPermission()).toBe('denied')
  })

  it('is no use where the browser notifies through service workers only, and nothing breaks', async () => {
    const thrower = vi.fn(() => {
      throw new TypeError('Illegal constructor')
    })
    const notifications = { permission: () => permission, requestPermission: async () => permission, show: thrower }
    const { page, client, title } = openTab({}, { notifications })
    client.startToolCall(work(1))
    await page.setVisible(false)
    await server.advance(5000)
    expect(thrower).toHaveBeenCalledTimes(1)
    expect(title()).toBe('(1) My app')
  })
})
