/**
 * Where task records are kept: strings under keys. `localStorage` only lacks `keys`, and IndexedDB wrappers fit as well,
 * since every method may return a promise. A method may throw: calls then continue without storage. With `replaceItem`, which makes
 * it a storage that processes share, they wait for it.
 */
export interface TaskStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>
  setItem(key: string, value: string): void | Promise<void>
  removeItem(key: string): void | Promise<void>
  /**
   * For a storage that several processes share: writes `after`, or removes the item if that is undefined, provided that the item is
   * still `before`, undefined for none; in one step. Returns true if the item is `after` now. So a process that was frozen between reading
   * and writing does not write over what another one has noted meanwhile.
   */
  replaceItem?(key: string, before: string | undefined, after: string | undefined): boolean | Promise<boolean>
  /** All keys, or at least those that begin with `prefix`: a storage that many users share need not list them all. */
  keys(prefix?: string): Iterable<string> | Promise<Iterable<string>>
}
