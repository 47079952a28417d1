import { createSimulatedBrowser, type SimulatedBrowserOptions } from './simulatedBrowser.js'
import type { SimulatedClock } from './simulatedClock.js'
import type { SimulatedPage } from './simulatedPage.js'

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
  return { ...alone(openPage()), now, advance, sleep, setClock, settle, pendingTimers }
}

/** The page without Web Locks and BroadcastChannel, and the pages that come after it. */
function alone(page: SimulatedPage): SimulatedPage {
  return {
    ...page,
    environment: { ...page.environment, locks: undefined, channel: undefined },
    reload: async () => alone(await page.reload()),
  }
}
