import type { Environment, TaskClient } from 'taskwire'
import { createTaskClient, type TaskClientLiteOptions } from 'taskwire/lite'
import type { SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { asyncStorage, reactNativeEnvironment } from '../docs/examples/reactNativeEnvironment.js'
import { createWorkServer } from './support/workServer.js'

const work = [{ name: 'work', arguments: { seconds: 30 } }, { key: 'q3' }] as const

let server: ReturnType<typeof createWorkServer>
let phone: ReturnType<typeof createPhone>

beforeEach(() => {
  server = createWorkServer()
  phone = createPhone()
})

/** As much of React Native as an app sees of it. Items survive the app. */
function createPhone() {
  const items = new Map<string, string>([['theme', 'dark']])
  const appListeners = new Set<(state: string) => void>()
  const netListeners = new Set<(state: { isConnected: boolean | null }) => void>()
  const AppState = {
    currentState: 'active',
    addEventListener: (_type: 'change', listener: (state: string) => void) => {
      appListeners.add(listener)
      return { remove: () => appListeners.delete(listener) }
    },
  }
  const NetInfo = {
    addEventListener: (listener: (state: { isConnected: boolean | null }) => void) => {
      netListeners.add(listener)
      listener({ isConnected: null })
      return () => netListeners.delete(listener)
    },
  }
  const AsyncStorage = {
    getItem: async (key: string) => items.get(key) ?? null,
    setItem: async (key: string, value: string) => void items.set(key, value),
    removeItem: async (key: string) => void items.delete(key),
    getAllKeys: async () => [...items.keys()],
  }
  return {
    items,
    parts: { AppState, NetInfo, randomUUID: () => crypto.randomUUID() },
    storage: asyncStorage(AsyncStorage),
    show(state: 'active' | 'inactive' | 'background') {
      AppState.currentState = state
      for (const listener of [...appListeners]) listener(state)
    },
    connect(isConnected: boolean) {
      for (const listener of [...netListeners]) listener({ isConnected })
    },
    /** The system ends the app: nothing of it runs any more. */
    kill() {
      appListeners.clear()
      netListeners.clear()
    },
  }
}

/** The app, as it is started. Of a page there is nothing but time, and a `fetch` that does not stream. */
function openApp(options: Partial<TaskClientLiteOptions> = {}): { page: SimulatedPage; client: TaskClient } {
  const page = server.browser.openPage()
  const { now, setTimeout, clearTimeout, random } = page.environment
  const client = createTaskClient({
    url: server.url,
    storage: phone.storage,
    ...options,
    fetch: withoutStreams(page.environment.fetch),
    environment: {
      ...{ now, setTimeout, clearTimeout, random, locks: undefined, channel: undefined },
      ...reactNativeEnvironment(phone.parts),
    },
  })
  return { page, client }
}

/** Answers once the whole answer is there, with no `body`, as React Native's does. */
function withoutStreams(fetch: Environment['fetch']): Environment['fetch'] {
  return async (url, init) => {
    const response = await fetch(url, init)
    const text = await response.text()
    const { status, headers } = response
    return Object.defineProperty(new Response(status === 204 ? null : text, { status, headers }), 'body', {
      value: undefined,
    })
  }
}

const calls = () => server.count('tools/call')
const polls = () => server.count('tasks/get')

describe('the client of taskwire/lite in React Native', () => {
  it('follows a task to its result, by polls where nothing can be pushed', async () => {
    const { client } = openApp()
    const call = client.startToolCall(...work)
    await server.advance(40_000)
    expect(await call.result).toMatchObject({ structuredContent: { seconds: 30 } })
    expect([calls(), polls() > 5]).toEqual([1, true])
  })

  it('takes a call up again after the app was killed, from AsyncStorage', async () => {
    const first = openApp()
    first.client.startToolCall(...work)
    await server.advance(5000)
    phone.kill()
    await first.page.crash()

    const { client } = openApp()
    const call = client.startToolCall(...work)
    await server.advance(40_000)
    expect(await call.result).toMatchObject({ structuredContent: { seconds: 30 } })
    expect(calls()).toBe(1)
    expect(phone.items.get('theme')).toBe('dark')
  })

  it('says that the phone is offline, sends nothing meanwhile, and goes on when it is back', async () => {
    const { client } = openApp()
    const call = client.startToolCall(...work)
    await server.advance(5000)
    phone.connect(false)
    await server.advance(100)
    const before = polls()
    await server.advance(60_000)
    expect(call.getState()).toMatchObject({ network: 'offline' })
    expect(polls()).toBe(before)
    phone.connect(true)
    await server.advance(1000)
    expect(await call.result).toMatchObject({ structuredContent: { seconds: 30 } })
  })

  it('polls nothing in the background where the app wants it so, and at once when it comes to the front', async () => {
    const { client } = openApp({ poll: { hidden: 'pause' } })
    const call = client.startToolCall(...work)
    await server.advance(5000)
    phone.show('inactive')
    await server.advance(3000)
    const inactive = polls()
    phone.show('background')
    await server.advance(60_000)
    expect(polls()).toBe(inactive)
    phone.show('active')
    await server.advance(100)
    expect(call.getState().phase).toBe('completed')
    expect(inactive).toBeGreaterThan(5)
  })
})
