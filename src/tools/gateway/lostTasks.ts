import type { TaskStore } from '../../server/tasks/taskStore.js'

/**
 * The same store, which says whose tasks have lost their process. The tools of an owner are known once the server behind is
 * connected: without them, nobody could say whether such a task may run again, and it would stay at work.
 */
export function withLostTasks<S extends TaskStore>(store: S, onLost: (owner: string) => void): S {
  async function lapsed(now: number, limit: number): Promise<readonly string[]> {
    const taskIds = (await store.lapsed?.(now, limit)) ?? []
    for (const record of await Promise.all(taskIds.map((taskId) => store.get(taskId)))) {
      if (record !== undefined) onLost(record.owner)
    }
    return taskIds
  }

  if (store.lapsed === undefined) return store
  return new Proxy(store, {
    get(target, name) {
      if (name === 'lapsed') return lapsed
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
