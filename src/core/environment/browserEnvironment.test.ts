import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserEnvironment } from './browserEnvironment.js'

/** A window or a document, as far as events go. */
function target() {
  const events = new EventTarget()
  const counts = { listeners: 0 }
  return {
    counts,
    fire: (type: string, members = {}) => events.dispatchEvent(Object.assign(new Event(type), members)),
    addEventListener: (type: string, listener: () => void) => {
      counts.listeners += 1
      events.addEventListener(type, listener)
    },
    removeEventListener: (type: string, listener: () => void) => {
      counts.listeners -= 1
      events.removeEventListener(type, listener)
    },
  }
}

/** A page with a window and a document that the test holds. */
function openPage(document: Record<string, unknown> = {}) {
  const window_ = target()
  const document_ = Object.assign(target(), document)
  vi.stubGlobal('addEventListener', window_.addEventListener)
  vi.stubGlobal('removeEventListener', window_.removeEventListener)
  vi.stubGlobal('document', document_)
  return { window: window_, document: document_ }
}

const forbidden = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError')
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('in Node, or wherever there is no page', () => {
  const environment = browserEnvironment()

  it('nothing is ever hidden or offline, and there is no storage', () => {
    expect(environment.isVisible()).toBe(true)
    expect(environment.isOnline()).toBe(true)
    expect(environment.baseUrl()).toBeUndefined()
    expect(environment.storage('local')).toBeUndefined()
    expect(environment.storage('session')).toBeUndefined()
  })

  it('listening to the page does nothing and can be undone', () => {
    vi.stubGlobal('addEventListener', undefined)
    const { onOnlineChange, onVisibilityChange, onPageHide, onPageShow, onStorageChange } = environment
    for (const listen of [onOnlineChange, onVisibilityChange, onPageHide, onPageShow]) listen(() => {})()
    onStorageChange?.(() => {})()
  })

  it('without navigator, locks and channels: each is absent', () => {
    vi.stubGlobal('navigator', undefined)
    vi.stubGlobal('BroadcastChannel', undefined)
    expect(environment.isOnline()).toBe(true)
    expect(environment.locks).toBeUndefined()
    expect(environment.channel).toBeUndefined()
  })

  it('without crypto.randomUUID, which insecure contexts lack, there are ids all the same', () => {
    const { crypto } = globalThis
    vi.stubGlobal('crypto', { getRandomValues: (array: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(array) })
    const ids = new Set(Array.from({ length: 1000 }, environment.randomId))
    expect(ids.size).toBe(1000)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('making an environment', () => {
  it('touches nothing of the page', () => {
    const names = ['document', 'navigator', 'localStorage', 'sessionStorage', 'crypto', 'BroadcastChannel', 'fetch']
    const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name))
    try {
      for (const name of names) Object.defineProperty(globalThis, name, { configurable: true, get: forbidden })
      expect(() => browserEnvironment()).not.toThrow()
    } finally {
      names.forEach((name, index) => {
        const descriptor = before[index]
        if (descriptor) Object.defineProperty(globalThis, name, descriptor)
        else Reflect.deleteProperty(globalThis, name)
      })
    }
  })
})

describe('in a page', () => {
  it('time and timers are those of the page at the moment of use', () => {
    const environment = browserEnvironment()
    vi.useFakeTimers({ now: 1000 })
    const ran: number[] = []
    environment.setTimeout(() => ran.push(environment.now()), 500)
    environment.clearTimeout(environment.setTimeout(() => ran.push(0), 100))
    vi.advanceTimersByTime(1000)
    expect(ran).toEqual([1500])
  })

  it('fetch is called on its own, as browsers insist', async () => {
    const calls: unknown[] = []
    vi.stubGlobal('fetch', function (this: unknown, ...args: unknown[]) {
      calls.push(this === undefined || this === globalThis, ...args)
      return Promise.resolve(new Response('ok'))
    })
    const response = await browserEnvironment().fetch('https://example.com', { method: 'POST' })
    await expect(response.text()).resolves.toBe('ok')
    expect(calls).toEqual([true, 'https://example.com', { method: 'POST' }])
  })

  it.each([
    ['onOnlineChange', 'window', ['online', 'offline']],
    ['onVisibilityChange', 'document', ['visibilitychange']],
    ['onPageHide', 'window', ['pagehide']],
    ['onPageHide', 'document', ['freeze']],
    ['onPageShow', 'window', ['pageshow']],
    ['onPageShow', 'document', ['resume']],
    ['onStorageChange', 'window', ['storage']],
  ] as const)('%s hears of %s: %s', (method, where, types) => {
    const page = openPage()
    let received = 0
    const unsubscribe = browserEnvironment()[method]?.(() => {
      received += 1
    })
    for (const type of types) page[where].fire(type)
    expect(received).toBe(types.length)
    unsubscribe?.()
    for (const type of types) page[where].fire(type)
    expect(received).toBe(types.length)
    expect(page.window.counts.listeners + page.document.counts.listeners).toBe(0)
  })

  it('a page that has loaded is not back: it was not away', () => {
    const { window } = openPage()
    let received = 0
    browserEnvironment().onPageShow(() => {
      received += 1
    })
    window.fire('pageshow', { persisted: false })
    expect(received).toBe(0)
    window.fire('pageshow', { persisted: true })
    expect(received).toBe(1)
  })

  it.each([
    ['hidden', false],
    ['visible', true],
    ['prerender', true],
  ])('a document that is %s: visible is %s', (visibilityState, expected) => {
    openPage({ visibilityState })
    expect(browserEnvironment().isVisible()).toBe(expected)
  })

  it.each([
    [false, false],
    [true, true],
    [undefined, true],
  ])('navigator.onLine %s: online is %s', (onLine, expected) => {
    vi.stubGlobal('navigator', { onLine })
    expect(browserEnvironment().isOnline()).toBe(expected)
  })

  it('relative URLs are resolved against the document', () => {
    openPage({ baseURI: 'https://app.example/reports/' })
    expect(browserEnvironment().baseUrl()).toBe('https://app.example/reports/')
  })

  it('relative URLs have no user name and no password of a page that was opened with them: fetch would refuse them', () => {
    openPage({ baseURI: 'https://user:secret@app.example/reports/@me' })
    expect(new URL('mcp', browserEnvironment().baseUrl()).href).toBe('https://app.example/reports/mcp')
    openPage({ baseURI: 'https://app.example/reports/@me/' })
    expect(browserEnvironment().baseUrl()).toBe('https://app.example/reports/@me/')
  })

  it('each storage is the one of its name', () => {
    openPage()
    vi.stubGlobal('localStorage', { name: 'local' })
    vi.stubGlobal('sessionStorage', { name: 'session' })
    expect(browserEnvironment().storage('local')).toEqual({ name: 'local' })
    expect(browserEnvironment().storage('session')).toEqual({ name: 'session' })
  })

  it('a storage that must not be touched throws when it is used, not before', () => {
    openPage()
    const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
    Object.defineProperty(globalThis, 'localStorage', { configurable: true, get: forbidden })
    try {
      const environment = browserEnvironment()
      expect(() => environment.storage('local')).toThrow('insecure')
    } finally {
      if (before) Object.defineProperty(globalThis, 'localStorage', before)
      else Reflect.deleteProperty(globalThis, 'localStorage')
    }
  })

  it('a channel carries messages to the others, until it is closed', async () => {
    const open = browserEnvironment().channel
    if (!open) throw new Error('no BroadcastChannel')
    const [a, b] = [open('taskwire-test'), open('taskwire-test')]
    const received: unknown[] = []
    const first = new Promise<void>((resolve) => {
      b.onMessage((message) => {
        received.push(message)
        resolve()
      })
    })
    const unsubscribe = b.onMessage(() => received.push('should be gone'))
    unsubscribe()
    a.onMessage(() => received.push('echo'))
    a.postMessage({ n: 1 })
    await first
    a.close()
    b.close()
    expect(received).toEqual([{ n: 1 }])
  })
})
