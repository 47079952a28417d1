import type { TaskClient, TaskClientOptions } from 'taskwire'
import { describe, inject, it } from 'vitest'
import { type ClientKind, createClientOf } from './createClientOf.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Which of them the tests of a project are about. */
    client: ClientKind
  }
}

/** The kind that the tests of this project are about: see vite.config.ts. */
export const clientKind: ClientKind = inject('client')

/** A client of that kind. */
export const createTaskClient = (options: TaskClientOptions): TaskClient => createClientOf(clientKind, options)

/** For what only the client over the SDK has: earlier revisions, OAuth, validation by the schemas of the server. */
export const itFull: typeof it = clientKind === 'full' ? it : (it.skip as typeof it)
export const describeFull: typeof describe = clientKind === 'full' ? describe : (describe.skip as typeof describe)
