import type { SimulatedPage } from 'taskwire/testing'

/** What is still there of a client whose page has closed it, by kind; empty where it has left nothing. */
export function leftoversOf(page: SimulatedPage, pendingRequests: number): Readonly<Record<string, number>> {
  const left = {
    requests: pendingRequests,
    timers: page.timers(),
    listeners: page.listeners(),
    locks: page.locks(),
    channels: page.channels(),
  }
  return Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0))
}
