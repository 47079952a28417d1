import type { InMemoryTaskStore } from '../../../src/server/tasks/inMemoryTaskStore.js'
import type { TaskRecord } from '../../../src/server/tasks/taskRecord.js'

/** How the answer to a write is lost: the store says that it has failed, or repeats it and finds that another version is there. */
export type Loss = 'an error' | 'a conflict'

/** Which answer is lost. */
export interface LossOptions {
  /** @default every write */
  fits?: (record: TaskRecord) => boolean
  /** Whether the store answers nothing after that, until it is back. @default false */
  isAway?: boolean
}

/** A store whose writes can go unanswered. */
export interface UnansweredWrites {
  /** The next write that fits is made, and not answered. */
  loseNext(loss: Loss, options?: LossOptions): void
  /** Has the store answer again. */
  comeBack(): void
}

/** Lets a test lose the answers to writes of a store. */
export function unansweredWrites(store: InMemoryTaskStore): UnansweredWrites {
  let next: (LossOptions & { loss: Loss }) | undefined
  let isAway = false
  const { get, create, transition } = store
  const use = () => {
    if (isAway) throw new Error('no answer')
  }

  function answer(record: TaskRecord, isWritten: boolean): boolean {
    if (next === undefined || next.fits?.(record) === false) return isWritten
    const { loss } = next
    isAway = next.isAway === true
    next = undefined
    if (loss === 'a conflict') return false
    throw new Error('no answer')
  }

  store.get = async (taskId) => {
    use()
    return get.call(store, taskId)
  }
  store.create = async (record) => {
    use()
    await create.call(store, record)
    answer(record, true)
  }
  store.transition = async (record, version) => {
    use()
    return answer(record, await transition.call(store, record, version))
  }
  return {
    loseNext(loss, options) {
      next = { loss, ...options }
    },
    comeBack() {
      isAway = false
    },
  }
}
