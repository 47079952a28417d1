// What stands in the place of a task's id wherever a message is shown.

export interface TaskNames {
  learn(taskId: string): void
  /** The text without the ids that are known. */
  redact(text: string): string
  /** A message of JSON-RPC as it may be shown. For anything else, only the size is shown. */
  describe(text: string): DescribedMessage
  /** The same for the response to a message, which may be the page of a proxy: any text may be shown. */
  describeAny(text: string): DescribedMessage
}

export interface DescribedMessage {
  readonly method?: string
  readonly id?: string | number
  readonly task?: string
  readonly body?: string
  readonly size: number
  /** True for a message of JSON-RPC. */
  readonly isMessage: boolean
}

/** Ids that are remembered. */
const MAX_KNOWN = 500

/** What is shorter may be found in words and numbers that are no ids. It is replaced only where a message says `taskId`. */
const MIN_ID_LENGTH = 8

/** Characters of a body that are kept. */
const MAX_BODY = 10_000

export function createTaskNames(hash: (text: string) => string): TaskNames {
  const known = new Map<string, string>()
  const nameOf = (id: string) => known.get(id) ?? hash(id).slice(0, 7)

  function learn(taskId: string): void {
    const name = nameOf(taskId)
    // How the client writes the id of a task of 2025-11-25 that is one of a session: see `taskAddress.ts`.
    const inSession = taskId.replace(/^session:\S+ /, '')
    for (const id of [taskId, inSession]) {
      known.delete(id)
      known.set(id, name)
    }
    for (const oldest of known.keys()) if (known.size > MAX_KNOWN) known.delete(oldest)
  }

  function redact(text: string): string {
    let redacted = text
    for (const [id, name] of known) {
      if (id.length >= MIN_ID_LENGTH) redacted = redacted.replaceAll(JSON.stringify(id).slice(1, -1), name)
    }
    return redacted
  }

  function describe(text: string): DescribedMessage {
    const size = new TextEncoder().encode(text).length
    let task: string | undefined
    const named = (id: unknown) => {
      if (typeof id !== 'string') return id
      learn(id)
      task ??= nameOf(id)
      return nameOf(id)
    }
    const replace = (key: string, value: unknown) => {
      if (key === 'taskId') return named(value)
      return key === 'taskIds' && Array.isArray(value) ? value.map(named) : value
    }
    try {
      const message: { jsonrpc?: unknown; method?: unknown; id?: unknown } = Object(JSON.parse(text, replace))
      if (message.jsonrpc === undefined) return { size, isMessage: false }
      const { method, id } = message
      return {
        ...(typeof method === 'string' && { method }),
        ...((typeof id === 'string' || typeof id === 'number') && { id }),
        ...(task && { task }),
        body: shown(JSON.stringify(message)),
        size,
        isMessage: true,
      }
    } catch {
      return { size, isMessage: false }
    }
  }

  // A copy: engines keep all of a text for as long as a part of it that was cut from it.
  const shown = (text: string): string => JSON.parse(JSON.stringify(redact(text).slice(0, MAX_BODY)))

  return {
    learn,
    redact,
    describe,
    describeAny: (text) => ({ ...(text && { body: shown(text) }), ...describe(text) }),
  }
}
