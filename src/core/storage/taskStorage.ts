/**
 * A storage for task records: strings under keys. `localStorage` lacks only `keys`. IndexedDB wrappers fit as well, since
 * every method may return a promise. If a method throws, calls continue without storage. A storage with `replaceItem` is
 * shared by several processes, and calls wait for it.
 */
export interface TaskStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>
  setItem(key: string, value: string): void | Promise<void>
  removeItem(key: string): void | Promise<void>
  /**
   * Compare-and-set, for a storage that several processes share. If the item is still `before` (undefined: there is no
   * item), it writes `after`, or removes the item if `after` is undefined, in one step. Returns true if the item is `after`
   * now. So a process that was frozen between reading and writing does not overwrite what another process has written
   * meanwhile.
   */
  replaceItem?(key: string, before: string | undefined, after: string | undefined): boolean | Promise<boolean>
  /** Returns all keys, or at least those that begin with `prefix`, so that a storage with many users need not list all of them. */
  keys(prefix?: string): Iterable<string> | Promise<Iterable<string>>
}
