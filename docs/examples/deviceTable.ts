export interface RecordRow {
  text: string
  version: number
}

/** Stores the records. In a database, each method is one statement. */
export interface RecordTable {
  names(user: string): Promise<string[]>
  read(user: string, name: string): Promise<RecordRow | undefined>
  /**
   * Writes the record if it still has this version (0: no record), and resolves
   * to true; otherwise writes nothing.
   */
  write(
    user: string,
    name: string,
    text: string,
    version: number,
  ): Promise<boolean>
  remove(user: string, name: string): Promise<void>
  /**
   * Reserves the name of a record for a browser until `until`, unless another
   * one has it. Times in ms.
   */
  reserve(
    user: string,
    name: string,
    browserId: string,
    now: number,
    until: number,
  ): Promise<boolean>
  /** Ends the reservation. */
  release(user: string, name: string): Promise<void>
}

/**
 * Keeps records in the memory of one process, for tests and for a first
 * version.
 */
export function memoryTable(): RecordTable {
  const users = new Map<string, Map<string, RecordRow>>()
  const reservations = new Map<string, { browserId: string; until: number }>()
  const keyOf = (user: string, name: string) => JSON.stringify([user, name])
  return {
    names: async (user) => [...(users.get(user)?.keys() ?? [])],
    read: async (user, name) => users.get(user)?.get(name),
    write: async (user, name, text, version) => {
      const rows = users.get(user) ?? new Map<string, RecordRow>()
      if ((rows.get(name)?.version ?? 0) !== version) return false
      users.set(user, rows.set(name, { text, version: version + 1 }))
      return true
    },
    remove: async (user, name) => void users.get(user)?.delete(name),
    reserve: async (user, name, browserId, now, until) => {
      const key = keyOf(user, name)
      const known = reservations.get(key)
      if (
        known !== undefined &&
        known.browserId !== browserId &&
        known.until > now
      )
        return false
      reservations.set(key, { browserId, until })
      return true
    },
    release: async (user, name) => void reservations.delete(keyOf(user, name)),
  }
}
