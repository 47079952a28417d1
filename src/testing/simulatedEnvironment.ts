import {
  createSimulatedBrowser,
  type SimulatedBrowserOptions,
  type SimulatedClock,
  type SimulatedPage,
} from './simulatedBrowser.js'

/** A single page together with the clock it lives by. */
export interface SimulatedEnvironment extends SimulatedClock, SimulatedPage {}

/**
 * An environment for tests of one page, in which nothing happens until the test says so. It has no Web
 * Locks and no BroadcastChannel; for several tabs see {@link createSimulatedBrowser}.
 *
 * @example
 * ```ts
 * const page = createSimulatedEnvironment()
 * const client = createTaskClient({ url, environment: page.environment })
 * const call = client.startToolCall({ name: 'generate_report' })
 * await page.advance(5000)
 * ```
 */
export function createSimulatedEnvironment(options?: SimulatedBrowserOptions): SimulatedEnvironment {
  const { now, advance, sleep, setClock, settle, pendingTimers, openPage } = createSimulatedBrowser(options)
  const page = openPage()
  const environment = { ...page.environment, locks: undefined, channel: undefined }
  return { ...page, environment, now, advance, sleep, setClock, settle, pendingTimers }
}
