/// <reference types="chrome" />
import type { TaskStorage } from 'taskwire'
import { withoutTimers } from 'taskwire/alarms'
import { createTaskClient } from 'taskwire/lite'

const { local } = chrome.storage

const storage: TaskStorage = {
  getItem: async (key) => (await local.get<Record<string, string>>(key))[key],
  setItem: (key, value) => local.set({ [key]: value }),
  removeItem: (key) => local.remove(key),
  keys: async () => Object.keys(await local.get(null)),
}

const client = withoutTimers(createTaskClient, {
  url: 'https://mcp.example.com/mcp',
  storage,
})
client.onToolCallSettled(
  ({ phase }) =>
    void chrome.action.setBadgeText({
      text: phase === 'completed' ? '1' : '!',
    }),
)

/** Polls what is due. Chrome may stop the background when this resolves. */
async function tick(): Promise<void> {
  // If Chrome stops it earlier, the alarm starts it again.
  await chrome.alarms.create('taskwire', { delayInMinutes: 0.5 })
  await client.tick()
  const { nextWakeAt } = client
  if (nextWakeAt === undefined) await chrome.alarms.clear('taskwire')
  else await chrome.alarms.create('taskwire', { when: nextWakeAt })
}

chrome.alarms.onAlarm.addListener(() => void tick())
chrome.runtime.onStartup.addListener(() => void tick())
chrome.runtime.onMessage.addListener(({ quarter }, _sender, answer) => {
  client
    .startToolCall(
      { name: 'generate_report', arguments: { quarter } },
      { key: quarter },
    )
    .result.catch(() => {})
  void tick().then(() => answer('started'))
  // Chrome keeps the background until it has answered.
  return true
})
