import { createTaskClient as createFullClient, type TaskClient, type TaskClientOptions } from 'taskwire'
import { createTaskClient as createLiteClient } from 'taskwire/lite'
import { describe, inject, it } from 'vitest'

/** The two clients: that over the official SDK, and that of `taskwire/lite`. */
export type ClientKind = 'full' | 'lite'

declare module 'vitest' {
  interface ProvidedContext {
    /** Which of them the tests of a project are about. */
    client: ClientKind
  }
}

/** A client of that kind with the options of `taskwire`. */
export function createClientOf(kind: ClientKind, options: TaskClientOptions): TaskClient {
  if (kind === 'full' || typeof options !== 'object' || options === null) return createFullClient(options)
  const { transportOptions: { fetch, requestInit, ...others } = {}, ...rest } = { transportOptions: {}, ...options }
  const transportOptions = Object.keys(others).length > 0 && { transportOptions: others }
  const headers = requestInit?.headers
  // What lite has not, it refuses: a test that passes it is one of the full client.
  return createLiteClient({
    ...(rest as { url: string }),
    ...transportOptions,
    ...(fetch && { fetch }),
    ...(headers && { headers }),
  })
}

/** The kind that the tests of this project are about: see vite.config.ts. */
export const clientKind: ClientKind = inject('client')

/** A client of that kind. */
export const createTaskClient = (options: TaskClientOptions): TaskClient => createClientOf(clientKind, options)

/** For what only the client over the SDK has: earlier revisions, OAuth, validation by the schemas of the server. */
export const itFull: typeof it = clientKind === 'full' ? it : (it.skip as typeof it)
export const describeFull: typeof describe = clientKind === 'full' ? describe : (describe.skip as typeof describe)
