import type { TaskClientObservation, TaskClientState, ToolCallState } from 'taskwire'
import { byStatusField, defineJob } from 'taskwire/jobs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { PATIENCE } from '../../../test/support/patience.js'
import { type SimulatedFrames, simulateFrames } from '../../../test/support/simulatedFrames.js'
import { createFaultInjection } from './faults/createFaultInjection.js'
import type { ObservedClient } from './model/devtoolsModel.js'
import { mountTaskwireDevtools, type TaskwireDevtools } from './mountTaskwireDevtools.js'
import { taskwireDevtoolsPlugin } from './taskwireDevtoolsPlugin.js'

let frames: SimulatedFrames
let mounted: TaskwireDevtools | undefined

beforeEach(() => {
  frames = simulateFrames()
})

afterEach(() => {
  mounted?.unmount()
  mounted = undefined
  sessionStorage.clear()
})

const nextFrame = () => frames.draw()

function stateOf(callId: string, startedAt: number, more: object = {}): ToolCallState {
  return {
    callId,
    name: `tool ${callId}`,
    phase: 'completed',
    result: { content: [] },
    inputRequests: {},
    inputResponses: {},
    isCancelling: false,
    network: 'ok',
    failureCount: 0,
    startedAt,
    endedAt: startedAt + 1000,
    ...more,
  } as ToolCallState
}

function fakeClient(count: number) {
  const calls = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`c${index}`, stateOf(`c${index}`, index)]),
  )
  const store = createStore<TaskClientState>(() => ({ connection: { status: 'connected' }, calls }))
  const listeners = new Set<(observation: TaskClientObservation) => void>()
  const getToolCall = vi.fn(() => undefined)
  const observe: ObservedClient['observe'] = (listener) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  const tell = (observation: TaskClientObservation) => {
    for (const listener of listeners) listener(observation)
  }
  return { client: { store, observe, getToolCall } as ObservedClient, getToolCall, listeners, store, tell }
}

const shadow = (): ShadowRoot => document.querySelector('taskwire-devtools')?.shadowRoot as ShadowRoot
const all = (selector: string): HTMLElement[] => [...shadow().querySelectorAll<HTMLElement>(selector)]
const one = (selector: string): HTMLElement => shadow().querySelector(selector) as HTMLElement

describe('mountTaskwireDevtools()', () => {
  it('names the status tool of a call that is a job', () => {
    const { client } = fakeClient(1)
    const task = { taskId: 'job:tool c0:1', status: 'completed', createdAt: '', lastUpdatedAt: '', ttlMs: null }
    const store = createStore<TaskClientState>(() => ({
      connection: { status: 'connected' },
      calls: { c0: stateOf('c0', 0, { task }) },
    }))
    const job = defineJob({ start: 'tool c0', status: 'c0_status', id: 'id', read: byStatusField('status') })
    mounted = mountTaskwireDevtools({ ...client, store, jobs: [job] }, { initialIsOpen: true })
    nextFrame()
    expect(shadow().textContent).toContain('status tool: c0_status')
  })

  it('shows fifty of a thousand calls, the newest first, and more where they are asked for', () => {
    mounted = mountTaskwireDevtools(fakeClient(1000).client, { initialIsOpen: true })
    nextFrame()
    expect(all('[role=option]')).toHaveLength(50)
    expect(one('[role=option] .title').textContent).toBe('tool c999')
    expect(one('.more').textContent).toBe('Show 50 more of 1000')
    one('.more').click()
    nextFrame()
    expect(all('[role=option]')).toHaveLength(100)
  })

  const LOG = 'taskwire-devtools:log'
  const failed: TaskClientObservation = {
    type: 'poll-failed',
    at: Date.now() - 10_000,
    callId: 'c0',
    tool: 'report',
    task: 'abc1234',
    ms: 20,
    kind: 'http',
    error: Object.assign(new Error('HTTP 503'), { taskId: 'secret-id', status: 503 }),
    failureCount: 1,
  }
  const wire: TaskClientObservation = { type: 'wire-event', at: 1, exchange: 1, body: '{"typed":"by a user"}' }

  it('shows after a reload what happened to a call before it, and keeps nothing of the wire and no id', () => {
    const before = fakeClient(1)
    mounted = mountTaskwireDevtools(before.client, { initialIsOpen: true })
    before.tell(failed)
    before.tell(wire)
    dispatchEvent(new Event('pagehide'))
    const kept = sessionStorage.getItem(LOG)
    expect(JSON.parse(kept ?? '')).toHaveLength(1)
    expect(kept).not.toMatch(/secret-id|typed/)
    mounted.unmount()
    // As if this were another page.
    sessionStorage.setItem(LOG, (kept ?? '').replace(/"page":[\d.]+/, '"page":1'))
    mounted = mountTaskwireDevtools(fakeClient(1).client, { initialIsOpen: true })
    nextFrame()
    const rows = all('.timeline tbody tr').map(({ textContent }) => textContent)
    expect(rows).toHaveLength(2)
    expect(rows[0]).toContain('Reload')
    expect(rows[1]).toMatch(/Poll \(before the reload\)failure 1 \(http\) after 20 ms: HTTP 503/)
  })

  it('keeps the latest 300 observations, and none where keepLog is false or the storage makes no sense', () => {
    sessionStorage.setItem(LOG, '[{"client":0},null,{"client":0,"observation":{"type":1}}]')
    const { client, tell } = fakeClient(1)
    mounted = mountTaskwireDevtools(client, { initialIsOpen: true })
    nextFrame()
    expect(all('.timeline tbody tr')).toHaveLength(0)
    for (let count = 0; count < 400; count++) tell(failed)
    mounted.unmount()
    expect(JSON.parse(sessionStorage.getItem(LOG) ?? '')).toHaveLength(300)
    mounted = mountTaskwireDevtools(client, { keepLog: false })
    expect(sessionStorage.getItem(LOG)).toBeNull()
    tell(failed)
    mounted.unmount()
    mounted = undefined
    expect(sessionStorage.getItem(LOG)).toBeNull()
  })

  it('says what is not seen of the wire over an SDK client of the app, and what to change', () => {
    const { client } = fakeClient(1)
    mounted = mountTaskwireDevtools(client, { initialIsOpen: true })
    one('#tab-wire').click()
    nextFrame()
    expect(one('.advice').hidden).toBe(false)
    expect(one('.advice').textContent).toContain('createTaskClient({ url })')
    mounted.unmount()
    mounted = mountTaskwireDevtools({ ...client, url: 'https://a.example/mcp' }, { initialIsOpen: true })
    one('#tab-wire').click()
    nextFrame()
    expect(one('.advice').hidden).toBe(true)
  })

  it('draws once a frame, however much happens in it', () => {
    const { client, store, tell } = fakeClient(3)
    mounted = mountTaskwireDevtools(client, { initialIsOpen: true })
    nextFrame()
    for (let at = 0; at < 100; at++) {
      tell({ type: 'call-sent', at, callId: 'c2', tool: 'tool c2' })
      store.setState({ connection: { status: 'connected' } })
    }
    expect(nextFrame()).toBe(1)
    expect(all('tbody tr')).toHaveLength(100)
    expect(nextFrame()).toBe(0)
  })

  it('touches nothing while nothing has changed', () => {
    const { client, tell } = fakeClient(3)
    mounted = mountTaskwireDevtools(client, { initialIsOpen: true })
    nextFrame()
    const changes = new MutationObserver(() => {})
    changes.observe(one('.lists'), { subtree: true, childList: true, attributes: true, characterData: true })
    tell({ type: 'call-sent', at: 1, callId: 'c2', tool: 'tool c2' })
    nextFrame()
    expect(changes.takeRecords()).toEqual([])
  })

  it('asks for no outcome of a call that ended in an earlier visit', () => {
    const { client, getToolCall, store } = fakeClient(0)
    store.setState({ calls: { e: stateOf('e', 0, { phase: 'ended' }), w: stateOf('w', 1, running) } })
    mounted = mountTaskwireDevtools(client, { initialIsOpen: true })
    nextFrame()
    expect(getToolCall).toHaveBeenCalledWith('w')
    expect(getToolCall).not.toHaveBeenCalledWith('e')
  })

  it('shows the calls of several clients', () => {
    mounted = mountTaskwireDevtools([fakeClient(2).client, fakeClient(3).client], { initialIsOpen: true })
    nextFrame()
    expect(all('[role=option]')).toHaveLength(5)
  })

  it('tells two servers apart whose URLs differ only in their queries', () => {
    const clients = ['acme', 'umbrella'].map((tenant) => ({
      ...fakeClient(1).client,
      url: `https://mcp.example/mcp?tenant=${tenant}`,
    }))
    mounted = mountTaskwireDevtools(clients, { initialIsOpen: true })
    nextFrame()
    expect(all('.summary li').map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining(['mcp.example/mcp?tenant=acme connected', 'mcp.example/mcp?tenant=umbrella connected']),
    )
  })

  it('draws nothing while it is closed, and remembers in the tab that it was opened', () => {
    const { client } = fakeClient(3)
    mounted = mountTaskwireDevtools(client)
    nextFrame()
    expect(one('.panel').hidden).toBe(true)
    expect(all('[role=option]')).toEqual([])
    one('.toggle').click()
    nextFrame()
    expect(all('[role=option]')).toHaveLength(3)
    mounted.unmount()
    mounted = mountTaskwireDevtools(client)
    expect(one('.panel').hidden).toBe(false)
  })

  it('leaves nothing behind', () => {
    const { client, listeners } = fakeClient(3)
    const devtools = mountTaskwireDevtools(client, { initialIsOpen: true })
    // The panel and the recording.
    expect(listeners.size).toBe(2)
    devtools.unmount()
    expect(listeners.size).toBe(0)
    expect(document.querySelector('taskwire-devtools')).toBeNull()
    expect(nextFrame()).toBe(0)
  })

  it('says how the buttons that break things are enabled, and enables them', () => {
    const { client } = fakeClient(0)
    mounted = mountTaskwireDevtools(client, { initialIsOpen: true })
    one('#tab-faults').click()
    nextFrame()
    expect(all('.faults button').every((button) => (button as HTMLButtonElement).disabled)).toBe(true)
    expect(one('.how').hidden).toBe(false)
    mounted.unmount()

    const faults = createFaultInjection()
    mounted = mountTaskwireDevtools(client, { initialIsOpen: true, faults })
    one('#tab-faults').click()
    nextFrame()
    expect(one('.how').hidden).toBe(true)
    one('.faults button').click()
    nextFrame()
    expect([...faults.active()]).toEqual(['offline'])
    expect(one('.faults button').getAttribute('aria-pressed')).toBe('true')
  })

  it('shows what the records in the storage of the app say', async () => {
    const record = { v: 1, callId: 'c', tool: 'report', endpoint: 'e', scope: '', era: 'modern', startedAt: 1 }
    const items = new Map([
      ['taskwire:1:e:c', JSON.stringify(record)],
      ['other', 'not ours'],
    ])
    const storage = {
      keys: async () => items.keys(),
      getItem: async (key: string) => items.get(key) ?? null,
      setItem: () => {},
      removeItem: () => {},
    }
    mounted = mountTaskwireDevtools(fakeClient(0).client, { initialIsOpen: true, storage })
    one('#tab-storage').click()
    await vi.waitFor(() => {
      nextFrame()
      expect(all('#view-storage .title').map(({ textContent }) => textContent)).toEqual(['report'])
    }, PATIENCE)
  })
})

describe('taskwireDevtoolsPlugin()', () => {
  it('fills the element that it is given, once, and follows the theme', () => {
    const { client, listeners } = fakeClient(3)
    const plugin = taskwireDevtoolsPlugin(client)
    const target = document.createElement('div')
    document.body.append(target)
    plugin.render(target, 'dark')
    nextFrame()
    const host = target.querySelector('taskwire-devtools')
    expect(host?.getAttribute('data-theme')).toBe('dark')
    expect(host?.shadowRoot?.querySelectorAll('[role=option]')).toHaveLength(3)
    expect(host?.shadowRoot?.querySelector('.toggle')).toBeNull()
    plugin.render(target, { theme: 'light' })
    expect(target.querySelector('taskwire-devtools')).toBe(host)
    expect(host?.getAttribute('data-theme')).toBe('light')
    plugin.destroy()
    expect(listeners.size).toBe(0)
    target.remove()
  })
})

const running = { phase: 'working', result: undefined, endedAt: undefined }
