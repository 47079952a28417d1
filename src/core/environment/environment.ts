/** Removes the listener. */
export type Unsubscribe = () => void

/** The return value of `setTimeout`. Opaque. */
export type TimerHandle = unknown

/** The part of `Storage` that Taskwire needs for records. Every method may throw. */
export interface WebStorage {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The part of the Web Locks API that Taskwire needs. A request rejects if its lock is stolen while it is held. */
export interface Locks {
  request<T>(
    name: string,
    options: { signal?: AbortSignal; steal?: boolean },
    hold: (lock: HeldLock | null) => Promise<T>,
  ): Promise<T>
}

/** A lock that was granted. */
export interface HeldLock {
  readonly name?: string
  /**
   * Returns false once another process may have the lock. Absent if the lock cannot end while its holder is frozen, as in a
   * browser.
   */
  isHeld?(): boolean
}

/** The part of `BroadcastChannel` that Taskwire needs. */
export interface Channel {
  postMessage(message: unknown): void
  onMessage(listener: (message: unknown) => void): Unsubscribe
  close(): void
}

/**
 * Everything that Taskwire uses of the page it runs in. The engine reads no globals, so a test with its own environment
 * controls the time and the network.
 */
export interface Environment {
  /** Wall-clock time, ms since the epoch. */
  now(): number
  /**
   * @param wakeAt The time, in ms since the epoch, at which there is something to do. The delay may end earlier. Passed if
   *   the callback only checks for due work and nothing runs until then, so a host that sleeps may call the callback at
   *   that time.
   */
  setTimeout(callback: () => void, delayMs: number, wakeAt?: number): TimerHandle
  clearTimeout(handle: TimerHandle): void
  /** Returns a number in [0, 1), for jitter. */
  random(): number
  /** Returns a unique string that cannot be guessed, for call ids. */
  randomId(): string
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** Returns the base of relative URLs; undefined outside a page. */
  baseUrl(): string | undefined
  isOnline(): boolean
  onOnlineChange(listener: () => void): Unsubscribe
  isVisible(): boolean
  onVisibilityChange(listener: () => void): Unsubscribe
  /** Calls the listener when the browser is about to freeze or unload the page: the last chance to write. */
  onPageHide(listener: () => void): Unsubscribe
  /** Calls the listener when the page is back, from the back-forward cache or from sleep; not when it has loaded. */
  onPageShow(listener: () => void): Unsubscribe
  /** Returns the storage; undefined if the page has no such storage. May throw if access is forbidden. */
  storage(kind: 'local' | 'session'): WebStorage | undefined
  /** Calls the listener when another page has changed what this one has in `localStorage`. Absent if nothing says so. */
  onStorageChange?(listener: () => void): Unsubscribe
  /** The Web Locks of the page. Absent if the page does not have them. */
  readonly locks?: Locks | undefined
  /** Opens a channel between tabs. Absent if the page has no BroadcastChannel. */
  readonly channel?: ((name: string) => Channel) | undefined
}
