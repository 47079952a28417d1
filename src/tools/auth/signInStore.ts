import type { Environment, WebStorage } from '../../core/environment/environment.js'

/** What a sign-in keeps, as JSON under names of its own. Where the page has no storage, for as long as the page lives. */
export interface SignInStore {
  read<T>(name: string): T | undefined
  write(name: string, value: unknown): void
  remove(name: string): void
}

export function createSignInStore(environment: Environment, kind: 'local' | 'session', prefix: string): SignInStore {
  const memory = new Map<string, string>()

  function attempt<T>(use: (storage: WebStorage) => T): T | undefined {
    try {
      const storage = environment.storage(kind)
      return storage && use(storage)
    } catch {
      // Forbidden, or full: the page has it in memory.
      return undefined
    }
  }

  return {
    read: <T>(name: string) => {
      const text = attempt((storage) => storage.getItem(prefix + name)) ?? memory.get(name)
      try {
        return text === undefined ? undefined : (JSON.parse(text) as T)
      } catch {
        return undefined
      }
    },
    write: (name, value) => {
      const text = JSON.stringify(value)
      const isStored = attempt((storage) => {
        storage.setItem(prefix + name, text)
        return true
      })
      if (isStored) {
        memory.delete(name)
        return
      }
      memory.set(name, text)
      // What was stored before would be read in its place.
      attempt((storage) => storage.removeItem(prefix + name))
    },
    remove: (name) => {
      memory.delete(name)
      attempt((storage) => storage.removeItem(prefix + name))
    },
  }
}
