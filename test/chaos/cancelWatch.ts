import type { ChaosServer } from './chaosServer.js'
import type { Tab } from './tab.js'

/** How many polls in a row a page may make of a task that it shows as asked to stop, before somebody has asked. */
const PATIENCE = 3

/**
 * Watches that a task which a page shows as asked to stop is asked. Returns what is told of each answer to a poll; it says
 * whether the page waits in vain.
 */
export function watchCancels(server: ChaosServer): (tab: Tab, taskId: string) => boolean {
  const vain = new WeakMap<Tab, Map<string, number>>()
  return (tab, taskId) => {
    const counts = vain.get(tab) ?? new Map<string, number>()
    vain.set(tab, counts)
    const calls = Object.values(tab.client.store.getState().calls)
    const isShown = calls.some(({ task, cancelStatus }) => task?.taskId === taskId && cancelStatus === 'requested')
    const count = isShown && server.tasks.get(taskId)?.isAskedToStop === false ? (counts.get(taskId) ?? 0) + 1 : 0
    counts.set(taskId, count)
    return count === PATIENCE
  }
}
