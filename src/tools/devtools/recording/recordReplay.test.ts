import type { TaskClientObservation, TaskClientState } from 'taskwire'
import { recordReplay } from 'taskwire/devtools'
import { expect, it } from 'vitest'
import { createStore } from 'zustand/vanilla'

it('a recorder keeps no message for longer than its recording does, however long the page lives', () => {
  let tell: (observation: TaskClientObservation) => void = () => {}
  const store = createStore<TaskClientState>(() => ({ connection: { status: 'connected' }, calls: {} }))
  const observe = (listener: typeof tell) => {
    tell = listener
    return () => {}
  }
  const recorder = recordReplay({ store, observe, getToolCall: () => undefined }, { now: () => 0 })
  const say = (statusMessage: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tasks', params: { statusMessage } })
    tell({ type: 'wire-event', at: 0, exchange: 1, body })
  }
  const last = () => JSON.parse(recorder.file()).steps.at(-1).event.message.params.statusMessage
  say('Adding up')
  say('Done')
  say('Adding up')
  expect(last()).toBe('message-1')
  for (let count = 0; count < 10_000; count++) say(`${count} %`)
  expect(last()).toBe('message-10002')
  say('Adding up')
  expect(last()).toBe('message-10003')
})
