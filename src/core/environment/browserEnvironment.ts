import type { Channel, Environment, Locks, Unsubscribe } from './environment.js'

/**
 * The environment of the page, or of whatever else runs the code: in Node and in workers that have no
 * document, nothing is ever hidden or offline. Reading it touches no global until a member is used.
 */
export function browserEnvironment(): Environment {
  return PAGE
}

/** One for all clients: it holds nothing. */
const PAGE: Environment = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof setTimeout>),
  random: () => Math.random(),
  randomId,
  // Called on its own: as a method of another object it is an illegal invocation in browsers.
  fetch: (url, init) => globalThis.fetch(url, init),
  // A page may have been opened with a user name and a password.
  baseUrl: () => (globalThis.document?.baseURI ?? globalThis.location?.href)?.replace(/^(https?:\/\/)[^/]*@/, '$1'),
  // Node has a navigator without onLine; only an explicit false means offline.
  isOnline: () => globalThis.navigator?.onLine !== false,
  onOnlineChange: (listener) => on(listener, ['online', 'offline']),
  isVisible: () => globalThis.document?.visibilityState !== 'hidden',
  onVisibilityChange: (listener) => on(listener, [], ['visibilitychange']),
  onPageHide: (listener) => on(listener, ['pagehide'], ['freeze']),
  // A page that has loaded is shown, too, and was not away.
  onPageShow: (listener) => on((event) => event.persisted !== false && listener(), ['pageshow'], ['resume']),
  // Node's own localStorage is a file for the whole process, not a page's storage.
  storage: (kind) => (globalThis.document === undefined ? undefined : globalThis[`${kind}Storage`]),
  onStorageChange: (listener) => on(listener, ['storage']),
  get locks() {
    return globalThis.navigator?.locks as Locks | undefined
  },
  get channel() {
    return globalThis.BroadcastChannel === undefined ? undefined : openChannel
  },
}

/** Listens to events of the window and of the document, where they are there. */
function on(
  listener: (event: Partial<PageTransitionEvent>) => void,
  ofWindow: readonly string[],
  ofDocument: readonly string[] = [],
): Unsubscribe {
  const each = (what: 'addEventListener' | 'removeEventListener') => {
    // A worker of Node.js has no such events.
    for (const type of ofWindow) globalThis[what]?.(type, listener)
    for (const type of ofDocument) globalThis.document?.[what](type, listener)
  }
  each('addEventListener')
  return () => each('removeEventListener')
}

/** `crypto.randomUUID` exists in secure contexts only; `getRandomValues` everywhere. */
function randomId(): string {
  const { crypto } = globalThis
  // Engines make these in advance.
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID().replaceAll('-', '')
  const bytes = crypto.getRandomValues(new Uint8Array(16))
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
