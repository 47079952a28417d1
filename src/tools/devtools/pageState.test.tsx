import type { TaskClientObservation, TaskClientState } from 'taskwire'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { simulateFrames } from '../../../test/support/simulatedFrames.js'
import type { ObservedClient } from './model/devtoolsModel.js'
import { mountTaskwireDevtools } from './mountTaskwireDevtools.js'

it('the panel knows that a page which was opened in the background is visible, also after thousands of observations', () => {
  const { draw } = simulateFrames()
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  let tell: (observation: TaskClientObservation) => void = () => {}
  const observe: ObservedClient['observe'] = (listener) => {
    tell = (observation) => void (listener as typeof tell)(observation)
    return () => {}
  }
  const store = createStore<TaskClientState>(() => ({ connection: { status: 'connected' }, calls: {} }))
  const client = { store, observe, getToolCall: () => undefined } as ObservedClient
  const devtools = mountTaskwireDevtools(client, { initialIsOpen: true, keepLog: false })
  onTestFinished(devtools.unmount)
  const panel = document.querySelector('taskwire-devtools')?.shadowRoot
  const shown = () => {
    draw()
    return panel?.querySelector('.summary')?.textContent
  }
  expect(shown()).toContain('Page hidden')
  tell({ type: 'page', at: Date.now(), state: 'visible' })
  expect(shown()).toContain('Page visible')
  for (let at = 0; at < 3000; at++) tell({ type: 'call-sent', at, callId: `call ${at}`, tool: 'report' })
  expect(shown()).toContain('Page visible')
})
