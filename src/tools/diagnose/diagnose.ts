import type { TaskClient } from '../../core/client/taskClient.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import type { Environment } from '../../core/environment/environment.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { type Diagnosis, judge } from './judge.js'
import { observeInPage } from './observe.js'

export interface DiagnoseOptions {
  /** The MCP endpoint. @default the `url` of the client */
  url?: string | URL
  /**
   * Headers for every request, such as `Authorization`. Pass them, because Taskwire does not know the headers of the
   * client's transport here.
   */
  headers?: Record<string, string>
  /** How long a response may take, in ms. @default 10000 */
  timeLimitMs?: number
  /** For tests: the time and network of the page. */
  environment?: Partial<Environment>
}

/** Long enough to see a stream open. */
const WATCH_MS = 1000
const TIME_LIMIT_MS = 10_000

/**
 * Sends the requests of a page to the server of a client, and reports problems: offline, mixed content, CORS, no MCP, no
 * tasks. It calls no tool. A page cannot see preflights; `npx taskwire doctor <url>` can.
 *
 * @throws {TaskConfigurationError} if there is no URL to check.
 *
 * @example
 * ```ts
 * const { diagnose } = await import('taskwire/diagnose')
 * const { findings } = await diagnose(client)
 * for (const { problem, remedy } of findings) console.warn(problem, remedy)
 * ```
 */
export async function diagnose(client: Pick<TaskClient, 'url'>, options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const environment = { ...browserEnvironment(), ...options.environment }
  const pageUrl = environment.baseUrl()
  const seen = await observeInPage({
    url: parseUrl(options.url ?? client.url, pageUrl),
    pageUrl,
    isOnline: environment.isOnline(),
    headers: options.headers ?? {},
    timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
    watchMs: WATCH_MS,
    environment,
  })
  return judge(seen)
}

function parseUrl(url: string | URL | undefined, base: string | undefined): URL {
  if (url !== undefined && URL.canParse(url, base)) return new URL(url, base)
  throw new TaskConfigurationError(
    "Failed to diagnose: the URL of the server is not known. Pass it: diagnose(client, { url: 'https://example.com/mcp' }).",
  )
}
