import { createSimulatedBrowser } from 'taskwire/testing'
import { expect, it, vi } from 'vitest'
import type { Channel } from '../environment/environment.js'
import { createTabChannel } from './tabChannel.js'
import { encodeTabMessage, type TabMessage } from './tabMessages.js'

const browser = createSimulatedBrowser()
const LEADER: TabMessage = { type: 'leader', isVisible: true }

function openTab() {
  const { environment } = browser.openPage()
  const open = vi.fn(() => environment.channel?.('tabs') as Channel)
  const receive = vi.fn()
  return { open, receive, channel: createTabChannel(open, environment.now, receive) }
}

it('a channel that is connected twice is opened once', () => {
  const { open, channel } = openTab()
  channel.connect()
  channel.connect()
  expect(open).toHaveBeenCalledOnce()
})

it('a channel that is not connected posts nothing, and is disconnected without harm', async () => {
  const [tab, other] = [openTab(), openTab()]
  other.channel.connect()
  expect(tab.channel.isConnected()).toBe(false)
  tab.channel.disconnect()
  tab.channel.post(LEADER)
  await browser.settle()
  expect(other.receive).not.toHaveBeenCalled()
})

it('a channel passes on what is a message, and nothing else', async () => {
  const tab = openTab()
  tab.channel.connect()
  const other = browser.openPage().environment.channel?.('tabs')
  other?.postMessage('who is there')
  other?.postMessage(encodeTabMessage(LEADER))
  await browser.settle()
  expect(tab.receive.mock.calls).toEqual([[LEADER]])
})
