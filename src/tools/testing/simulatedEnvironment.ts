import { createSimulatedBrowser, type SimulatedBrowserOptions } from './simulatedBrowser.js'
import type { SimulatedClock } from './simulatedClock.js'
import type { SimulatedPage } from './simulatedPage.js'

/** A single page with its clock. */
export interface SimulatedEnvironment extends SimulatedClock, SimulatedPage {}

/**
 * Creates an environment for tests of one page. Nothing happens until the test advances the time. It has no Web Locks and
 * no BroadcastChannel; for several tabs use {@link createSimulatedBrowser}.
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
