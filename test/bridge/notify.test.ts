import { type NotifyOptions, notifyWhenSettled } from 'taskwire/notify'
import { expect, it } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'

function setUp() {
  const server = createWorkServer({ browser: { turns: 60 } })
  const backend = createBridgedBackend(server)
  /** What was shown, in order. */
  const shown: string[] = []
  return {
    ...{ server, backend, shown },
    openTab: (options: NotifyOptions = {}) => {
      const { client, page, network } = backend.openPage()
      void client.connect()
      const attention: NotifyOptions['environment'] = {
        ...page.environment,
        title: () => 'My app',
        setTitle: () => {},
        focus: () => {},
        notifications: {
          permission: () => 'granted',
          requestPermission: async () => 'granted',
          show: ({ title }) => {
            shown.push(title)
            return () => {}
          },
        },
      }
      notifyWhenSettled(client, { ...options, environment: attention })
      return { client, page, network }
    },
  }
}

const work = (seconds: number) => ({ name: 'work', arguments: { seconds } })

it('a hidden page is notified once of a call that its backend follows, also in two tabs', async () => {
  const { server, shown, openTab } = setUp()
  const tabs = [openTab(), openTab()]
  await server.advance(500)
  tabs[0]?.client.startToolCall(work(2), { key: 'k' })
  await server.advance(500)
  for (const { page } of tabs) await page.setVisible(false)
  await server.advance(10_000)
  expect(shown).toEqual(['work is done'])
})

it('a page that was away is notified of what has ended meanwhile, also where the backend was started again', async () => {
  const { server, backend, shown, openTab } = setUp()
  const { client, page, network } = openTab()
  await server.advance(500)
  client.startToolCall(work(3), { key: 'k' })
  await server.advance(1000)
  await page.setVisible(false)
  network.cut()
  await backend.restart()
  await server.advance(20_000)
  expect(shown).toEqual([])
  network.mend()
  await server.advance(60_000)
  expect(shown).toEqual(['work is done'])
})

it('a page is not notified of a call that had ended before the page was opened', async () => {
  const { server, backend, shown, openTab } = setUp()
  backend.clientOf('ada').startToolCall(work(1), { key: 'k' })
  await server.advance(5000)
  const { page } = openTab()
  await page.setVisible(false)
  await server.advance(5000)
  expect(shown).toEqual([])
})
