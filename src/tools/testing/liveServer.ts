import { systemClock } from '../../server/base/clock.js'
import { createObservedServer, type ObservedServer, type ObservedServerOptions } from './observedServer.js'

/**
 * Creates a test server in real time: for `taskHandlers`, a story or a page in development. It uses the global timers,
 * which a test runner can fake. Pass a short `pollIntervalMs` if a test waits for tasks.
 *
 * @throws {TaskConfigurationError} if an option cannot be used; the message names it.
 *
 * @example
 * ```ts
 * const server = createLiveServer({ tools: [report], pollIntervalMs: 20 })
 * const network = setupServer(...taskHandlers('https://example.com/mcp', server, http))
 * afterEach(() => server.reset())
 * ```
 */
export function createLiveServer(options: ObservedServerOptions): ObservedServer {
  return createObservedServer(options, systemClock)
}
