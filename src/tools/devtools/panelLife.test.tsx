// The observer is loaded before time is simulated: with the first panel it would be loaded in real time.
import '../../core/client/observe/observer.js'
import { createTaskClient, type TaskClient, type TaskClientObservation, type TaskClientState } from 'taskwire'
import { createTestServer, scriptTask, type TestServer } from 'taskwire/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { type SimulatedFrames, simulateFrames } from '../../../test/support/simulatedFrames.js'
import type { ObservedClient } from './model/devtoolsModel.js'
import { mountTaskwireDevtools, type TaskwireDevtools } from './mountTaskwireDevtools.js'

let server: TestServer
let frames: SimulatedFrames
let mounted: TaskwireDevtools | undefined

beforeEach(() => {
  frames = simulateFrames()
  vi.spyOn(Date, 'now').mockImplementation(() => server.browser.now())
  server = createTestServer({ tools: [scriptTask([{ status: 'working' }], { name: 'report' })] })
})

afterEach(() => {
  mounted?.unmount()
  mounted = undefined
  sessionStorage.clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function open(): TaskClient {
  return createTaskClient({ url: server.url, environment: server.browser.openPage().environment, push: false })
}

function mount(client: ObservedClient = open()): void {
  mounted = mountTaskwireDevtools(client, { initialIsOpen: true })
  draw()
}

/** A client whose calls and observations are those of the test. */
function fakeClient(...calls: readonly object[]) {
  const getToolCall = vi.fn<ObservedClient['getToolCall']>(() => undefined)
  const of = (call: object): [string, object] => [String(Reflect.get(call, 'callId')), { ...WORKING, ...call }]
  const state = { connection: { status: 'connected' }, calls: Object.fromEntries(calls.map(of)) }
  const store = createStore(() => state as unknown as TaskClientState)
  const listeners = new Set<(observation: TaskClientObservation) => void>()
  const observe: ObservedClient['observe'] = (listener) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  const client: ObservedClient = { store, observe, getToolCall }
  const tell = (observation: TaskClientObservation) => {
    for (const listener of listeners) listener(observation)
  }
  return { client, tell, getToolCall }
}

const WORKING = {
  ...{ name: 'report', phase: 'working', inputRequests: {}, inputResponses: {}, isCancelling: false },
  ...{ network: 'ok', failureCount: 0, startedAt: 1 },
}

/** Lets promises of the page settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Lets time pass, and draws. */
async function advance(ms: number): Promise<void> {
  await server.advance(ms)
  draw()
}

const draw = () => frames.draw()

const shadow = (): ShadowRoot => document.querySelector('taskwire-devtools')?.shadowRoot as ShadowRoot
const all = (selector: string): HTMLElement[] => [...shadow().querySelectorAll<HTMLElement>(selector)]
const one = (selector: string): HTMLElement => shadow().querySelector(selector) as HTMLElement
const button = (name: string) => all('button').find(({ textContent }) => textContent === name) as HTMLButtonElement

describe('the axis of a call', () => {
  it('follows a call that is made again after it had ended', async () => {
    const client = open()
    mount(client)
    client.startToolCall({ name: 'report', arguments: {} }, { key: 'k' }).result.catch(() => {})
    await advance(3000)
    button('Cancel').click()
    await advance(3000)
    expect(all('.plot .end')).toHaveLength(1)
    button('Call again').click()
    await advance(30_000)
    expect(all('.plot .end')).toEqual([])
    const places = all('.plot .poll').map((line) => Number.parseFloat(line.getAttribute('x1') ?? ''))
    expect(places.length).toBeGreaterThan(20)
    expect(Math.max(...places)).toBeLessThan(100)
  })
})

describe('a panel that is removed', () => {
  it('draws nothing, also where the records were still being read', async () => {
    mount(fakeClient({ callId: 'a' }).client)
    mounted?.unmount()
    await settle()
    expect(draw()).toBe(0)
  })
})

const rows = () => all('.timeline tbody tr').map(({ textContent }) => textContent)

describe('a timeline', () => {
  it('has no row of a reload where a call was started before the panel came', () => {
    const { client, tell } = fakeClient({ callId: 'a' })
    mount(client)
    const of = { callId: 'a', tool: 'report' }
    // As a client says it that was still connecting.
    tell({ ...of, type: 'call-started', at: server.browser.now() - 500 })
    tell({ ...of, type: 'call-sent', at: server.browser.now() })
    draw()
    expect(all('.timeline .what').map(({ textContent }) => textContent)).toEqual([
      'What',
      'tools/call sent',
      'Call started',
    ])
  })

  it('has no row of a reload where the panel was removed and put back, and still has what it had', async () => {
    const client = open()
    mount(client)
    client.startToolCall({ name: 'report' }, { key: 'k' })
    await advance(5000)
    const before = rows()
    expect(before.length).toBeGreaterThan(4)
    mounted?.unmount()
    mount(client)
    expect(rows()).toEqual(before)
  })
})

describe('the log that outlives a reload', () => {
  it('has the latest observations that fit, where the messages of errors are long', () => {
    const { client, tell } = fakeClient()
    mount(client)
    const error = new Error('x'.repeat(4000))
    const of = { type: 'poll-failed', callId: 'c', tool: 'report', ms: 1, kind: 'http', error } as const
    for (let at = 0; at < 300; at++) tell({ ...of, at, failureCount: at })
    mounted?.unmount()
    const kept = JSON.parse(sessionStorage.getItem('taskwire-devtools:log') ?? '[]')
    expect(kept.length).toBeGreaterThan(40)
    expect(kept.at(-1)).toMatchObject({ observation: { at: 299 } })
  })
})

describe('a panel for hostile servers and hurried users', () => {
  it('offers no copy of a first message whose HTTP was not seen, and says so', () => {
    const { client, tell } = fakeClient()
    mount(client)
    tell({ type: 'wire-sent', at: 1, exchange: 1, method: 'tools/call', body: '{}' })
    one('#tab-wire').click()
    draw()
    one('#view-wire .option').click()
    draw()
    expect(button('Copy as curl').disabled).toBe(true)
    expect(one('.copy [role=status]').textContent).toBe('Its HTTP was not seen.')
  })

  it('shows the failure of a cancellation with no other call than its own', async () => {
    const { client, getToolCall } = fakeClient({ callId: 'a', startedAt: 2 }, { callId: 'b' })
    let refuse: (error: Error) => void = () => {}
    const cancel = () =>
      new Promise<void>((_, reject) => {
        refuse = reject
      })
    getToolCall.mockReturnValue({ cancel } as ReturnType<ObservedClient['getToolCall']>)
    mount(client)
    button('Cancel').click()
    all('.option')[1]?.click()
    draw()
    refuse(new Error('The server has refused.'))
    await settle()
    expect(one('.actions [role=status]').textContent).toBe('')
  })

  it('shows no id of a task that the key of an input request has in it', () => {
    const task = { taskId: 'task-12345678', status: 'input_required', createdAt: '', lastUpdatedAt: '', ttlMs: null }
    const inputKey = 'task-12345678:sure'
    const { client, tell } = fakeClient({ callId: 'a', task, inputRequests: { [inputKey]: {} } })
    mount(client)
    tell({ type: 'input-asked', at: 1, callId: 'a', tool: 'report', inputKey })
    draw()
    expect(rows()).toHaveLength(1)
    expect(shadow().textContent).toContain('[task]:sure: open')
    expect(shadow().textContent).not.toContain('12345678')
  })

  it('keeps the focus in the detail where a call is forgotten from the keyboard', async () => {
    const client = open()
    mount(client)
    client.startToolCall({ name: 'report' }, { key: 'k' }).result.catch(() => {})
    await advance(3000)
    button('Forget').focus()
    button('Forget').click()
    await advance(100)
    expect(all('.option')).toEqual([])
    expect(shadow().activeElement).toBe(one('.detail'))
  })

  it('reads of many messages the bodies of the one that is chosen', () => {
    const { client, tell } = fakeClient()
    mount(client)
    const of = { at: 1, method: 'tools/call', body: '{"jsonrpc":"2.0"}' }
    for (let exchange = 0; exchange < 250; exchange++) {
      tell({ ...of, type: 'wire-sent', exchange })
      tell({ ...of, type: 'wire-answered', exchange, ms: 1 })
    }
    const parse = vi.spyOn(JSON, 'parse')
    one('#tab-wire').click()
    draw()
    expect(all('#view-wire .option')).toHaveLength(50)
    expect(parse).not.toHaveBeenCalled()
    one('#view-wire .option').click()
    draw()
    expect(all('#view-wire pre').map(({ textContent }) => textContent)).toContain('{\n  "jsonrpc": "2.0"\n}')
    expect(parse).toHaveBeenCalledTimes(2)
  })

  it('does nothing on a server', () => {
    const { client } = fakeClient()
    vi.stubGlobal('document', undefined)
    const { unmount, setTheme } = mountTaskwireDevtools(client)
    setTheme('dark')
    unmount()
    vi.unstubAllGlobals()
    expect(document.querySelector('taskwire-devtools')).toBeNull()
  })
})
