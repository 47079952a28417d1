import type { Channel, Environment, Locks, Unsubscribe } from './environment.js'

/**
 * The environment of the page, or of whatever else runs the code: in Node and in workers that have no
 * document, nothing is ever hidden or offline. Reading it touches no global until a member is used.
 */
export function browserEnvironment(): Environment {
  return {
    now: () => Date.now(),
    setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
    clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof setTimeout>),
    random: () => Math.random(),
    randomId,
    // Called on its own: as a method of another object it is an illegal invocation in browsers.
    fetch: (url, init) => globalThis.fetch(url, init),
    baseUrl: () => globalThis.document?.baseURI ?? globalThis.location?.href,
    // Node has a navigator without onLine; only an explicit false means offline.
    isOnline: () => globalThis.navigator?.onLine !== false,
    onOnlineChange: (listener) => both(on(page(), 'online', listener), on(page(), 'offline', listener)),
    isVisible: () => globalThis.document?.visibilityState !== 'hidden',
    onVisibilityChange: (listener) => on(globalThis.document, 'visibilitychange', listener),
    onPageHide: (listener) => both(on(page(), 'pagehide', listener), on(globalThis.document, 'freeze', listener)),
    onPageShow: (listener) => both(on(page(), 'pageshow', listener), on(globalThis.document, 'resume', listener)),
    storage: (kind) => {
      // Node's own localStorage is a file for the whole process, not a page's storage.
      if (globalThis.document === undefined) return undefined
      return kind === 'local' ? globalThis.localStorage : globalThis.sessionStorage
    },
    get locks() {
      return globalThis.navigator?.locks as Locks | undefined
    },
    get channel() {
      return globalThis.BroadcastChannel === undefined ? undefined : openChannel
    },
  }
}

function page(): EventTarget | undefined {
  return typeof globalThis.addEventListener === 'function' ? globalThis : undefined
}

function on(target: EventTarget | undefined, type: string, listener: () => void): Unsubscribe {
  target?.addEventListener(type, listener)
  return () => target?.removeEventListener(type, listener)
}

function both(first: Unsubscribe, second: Unsubscribe): Unsubscribe {
  return () => {
    first()
    second()
  }
}

/** `crypto.randomUUID` exists in secure contexts only; `getRandomValues` everywhere. */
function randomId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function openChannel(name: string): Channel {
  const channel = new BroadcastChannel(name)
  return {
    postMessage: (message) => channel.postMessage(message),
    onMessage: (listener) => {
      const handle = (event: MessageEvent) => listener(event.data)
      channel.addEventListener('message', handle)
      return () => channel.removeEventListener('message', handle)
    },
    close: () => channel.close(),
  }
}
