export interface RecordRow {
  text: string
  version: number
}

/** Where the records are. In a database each method is one statement. */
export interface RecordTable {
  names(user: string): Promise<string[]>
  read(user: string, name: string): Promise<RecordRow | undefined>
  /** Writes a record that still has this version, 0 for none, and resolves to true; else writes nothing. */
  write(user: string, name: string, text: string, version: number): Promise<boolean>
  remove(user: string, name: string): Promise<void>
  /** Reserves the name of a record for a browser until `until`, unless another one has it. Times in ms. */
  reserve(user: string, name: string, browserId: string, now: number, until: number): Promise<boolean>
  /** Ends the reservation. */
  release(user: string, name: string): Promise<void>
}

/** Records in the memory of one process: for tests, and to begin with. */
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
      if (known !== undefined && known.browserId !== browserId && known.until > now) return false
      reservations.set(key, { browserId, until })
      return true
    },
    release: async (user, name) => void reservations.delete(keyOf(user, name)),
  }
}
