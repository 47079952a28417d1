import { InMemoryTaskStore } from '../../../src/server/tasks/inMemoryTaskStore.js'

/** Shared with other processes, which say nothing: the least that a store over a database can do. */
export class SilentStore extends InMemoryTaskStore {
  override readonly isShared = true

  constructor() {
    super()
    Object.assign(this, { watch: undefined, lapsed: undefined })
  }
}

/** Shared with other processes: with a change feed, and leases. */
export class SharedStore extends InMemoryTaskStore {
  override readonly isShared = true
}
