import { InMemoryTaskStore } from 'taskwire/server'

/** Keeps tasks in memory for several servers, one after the other: each looks for the work that the one before has lost. */
export class SharedMemoryStore extends InMemoryTaskStore {
  override readonly isShared: boolean = true
}
