import type { TaskStore } from 'taskwire/server'
import type { ManualClock } from './manualClock.js'

/** A store of a process that can be cut off from it, as a process is that hangs, or is killed. */
export function createCuttableProcess(store: TaskStore, clock: ManualClock) {
  let isCut = false
  const guard = <T>(call: () => Promise<T>): Promise<T> => (isCut ? new Promise<T>(() => {}) : call())
  const own: TaskStore = {
    create: (record) => guard(() => store.create(record)),
    get: (taskId) => guard(() => store.get(taskId)),
    transition: (next, version) => guard(() => store.transition(next, version)),
    expire: (now) => guard(() => store.expire(now)),
    remove: (taskId) => guard(() => store.remove(taskId)),
    countAtWork: (owner) => guard(async () => (await store.countAtWork?.(owner)) ?? 0),
    lapsed: (now, limit) => guard(async () => (await store.lapsed?.(now, limit)) ?? []),
    watch: (onChange) => store.watch?.((...change) => isCut || onChange(...change)) ?? (() => {}),
  }
  return {
    store: own,
    clock,
    kill: () => {
      isCut = true
    },
  }
}
