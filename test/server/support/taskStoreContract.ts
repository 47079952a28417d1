import { taskStoreContract } from 'taskwire/testing'
import { describe, test } from 'vitest'
import type { TaskStore } from '../../../src/server/tasks/taskStore.js'

/** Runs what every {@link TaskStore} must do. */
export function describeTaskStore(name: string, createStore: () => TaskStore | Promise<TaskStore>): void {
  describe(name, () => {
    for (const { name: sentence, run } of taskStoreContract(createStore)) test(sentence, run)
  })
}
