/**
 * Where task records are kept: strings under keys. `localStorage` only lacks `keys`, and IndexedDB wrappers fit as well,
 * since every method may return a promise. A method may throw: calls then continue without storage.
 */
export interface TaskStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>
  setItem(key: string, value: string): void | Promise<void>
  removeItem(key: string): void | Promise<void>
  /** All keys, or at least those that begin with `prefix`: a storage that many users share need not list them all. */
  keys(prefix?: string): Iterable<string> | Promise<Iterable<string>>
}
