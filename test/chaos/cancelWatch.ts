import type { ChaosServer } from './chaosServer.js'
import type { Tab } from './tab.js'

/** Watches that a task which a page shows as being cancelled is cancelled. */
export interface CancelWatch {
  /** A page sends a `tasks/cancel`. */
  sent(tab: Tab, taskId: string): void
  /** A poll of the page was answered. Returns whether the page waits in vain: neither it nor any other one has asked the server. */
  polled(tab: Tab, taskId: string): boolean
}

/** How many polls in a row are answered to a page until it sends what another one does not seem to. */
const PATIENCE = 3

/** How many, where it sends the cancellation itself, and backs off after requests that have failed. */
const PATIENCE_OF_SENDER = 60

export function createCancelWatch(server: ChaosServer): CancelWatch {
  const senders = new WeakMap<Tab, Set<string>>()
  const vain = new WeakMap<Tab, Map<string, number>>()
  return {
    sent: (tab, taskId) => void senders.set(tab, (senders.get(tab) ?? new Set()).add(taskId)),
    polled: (tab, taskId) => {
      const counts = vain.get(tab) ?? new Map<string, number>()
      vain.set(tab, counts)
      const calls = Object.values(tab.client.store.getState().calls)
      const shown = calls.filter(({ task, isCancelling }) => task?.taskId === taskId && isCancelling)
      const isVain = server.tasks.get(taskId)?.isAskedToStop === false && senders.get(tab)?.has(taskId) !== true
      const count = shown.length > 0 && isVain ? (counts.get(taskId) ?? 0) + 1 : 0
      const isSending = shown.some(({ cancelStatus }) => cancelStatus !== undefined)
      const isLost = count >= (isSending ? PATIENCE_OF_SENDER : PATIENCE)
      counts.set(taskId, isLost ? 0 : count)
      return isLost
    },
  }
}
