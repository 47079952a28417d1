/** Keeps a text in `sessionStorage`: for this tab, until it is closed. Where storage is forbidden or full, it keeps nothing. */
export function tabMemory(name: string) {
  const key = `taskwire-devtools:${name}`
  return {
    read(): string | undefined {
      try {
        return sessionStorage.getItem(key) ?? undefined
      } catch {
        return undefined
      }
    },
    /** Without a text, nothing is kept. */
    write(text?: string): void {
      try {
        if (text === undefined) sessionStorage.removeItem(key)
        else sessionStorage.setItem(key, text)
      } catch {
        // Then it is not remembered.
      }
    },
  }
}
