import { checkNames } from '../../core/client/checkNames.js'
import { checkOptions } from '../../core/client/checkOptions.js'
import { createStore } from '../../core/client/createStore.js'
import { createListeners } from '../../core/client/listeners.js'
import { readPollPolicy } from '../../core/client/options.js'
import { createReports } from '../../core/client/reports.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import type { AnyTools, ToolsOf } from '../../core/client/tools.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import type { Environment } from '../../core/environment/environment.js'
import { inDevelopment } from '../../core/environment/inDevelopment.js'
import { asError } from '../../core/protocol/asError.js'
import { hash } from '../../core/record/hash.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'
import { toolCallId } from '../../core/run/keys.js'
import { backendUrl } from './backendUrl.js'
import { clientOf } from './clientOf.js'
import { OTHER_USER, UNAUTHORIZED } from './connectionOf.js'
import { createLink } from './link.js'
import { createMirror } from './mirror.js'
import type { TaskClientBridgeOptions } from './options.js'
import { createPageCalls } from './pageCalls.js'
import { createPost } from './requests.js'
import { serverSentEvents } from './serverSentEvents.js'
import { createStanding } from './standing.js'

/**
 * Creates a client for a page whose backend runs the MCP client. It shows the calls of the user's client at the backend,
 * with the same store and hooks as `createTaskClient` of `taskwire`. The page requests the backend to start, cancel, answer
 * and forget calls; each request takes effect once, even if the page is offline for a while. The page holds no token and no
 * task id, and does not speak MCP. The client connects at its first use. Its counterpart is `createTaskBridge` of
 * `taskwire/bridge/server`.
 *
 * @throws {TaskConfigurationError} if the options cannot work; the message says what to change.
 *
 * @example
 * ```ts
 * import { createTaskClient } from 'taskwire/bridge'
 *
 * const client = createTaskClient({ url: '/api/calls' })
 * const result = await client.callTool({ name: 'generate_report', arguments: { seconds: 30 } }, { key: 'weekly' })
 * ```
 *
 * @typeParam T The server's tools: `Tools` as `npx taskwire types` writes it, or `typeof server` of a `createTaskServer` in
 * the same repository.
 */
export function createTaskClient<T extends object = AnyTools>(
  options: TaskClientBridgeOptions,
): TaskClient<ToolsOf<T>> {
  // What the tools are is known to types alone.
  return createBridgeClient(options) as TaskClient<ToolsOf<T>>
}

/** A frame at 60 Hz. */
const FRAME_MS = 16

const OPTIONS = {
  '': [
    ...['url', 'fetch', 'carrier', 'scope', 'crossTab', 'batchUpdates', 'resume', 'onError', 'environment', 'retry'],
    // Those of a page that had the client itself.
    ...['capabilities', 'toolsHash'],
  ],
  retry: ['baseMs', 'maxMs', 'maxAttempts', 'connectAttempts'],
}

function createBridgeClient(options: TaskClientBridgeOptions): TaskClient {
  const { url } = Object(options) as TaskClientBridgeOptions
  const environment: Environment = { ...browserEnvironment(), ...Object(options).environment }
  const urlOfBackend = backendUrl(url, environment)
  inDevelopment?.(() => {
    checkNames(options, OPTIONS)
    checkOptions(options)
  })
  const {
    scope = '',
    resume = 'eager',
    fetch = environment.fetch,
    crossTab = true,
    carrier = serverSentEvents,
  } = options
  const { report, guard, rethrowLater } = createReports(environment, (error, context) =>
    options.onError?.(error, context),
  )
  const onError = (error: unknown) => report(asError(error), { operation: 'connect' })
  const owner = { endpoint: environment.baseUrl() === undefined ? String(url) : urlOfBackend().href, scope }
  const id = hash(JSON.stringify([owner.endpoint, scope]))
  const closing = new AbortController()
  const settled = createListeners<[SettledToolCall]>(guard)
  const forgotten = createListeners<[(callId?: string) => boolean]>(guard)
  const frameMs = options.batchUpdates === false ? 0 : FRAME_MS
  const store = createStore({ environment, frameMs, onListenerError: rethrowLater })
  const mirror = createMirror((ref) => ('id' in ref ? ref.id : toolCallId(owner, ref.name, ref.key)))
  const to = { environment, fetch, url: urlOfBackend, policy: readPollPolicy(options) }
  let heardAt: number | undefined

  const standing = createStanding({ environment, store, mirror, onError, onChange: () => calls.refreshAll() })
  const post = createPost({
    ...to,
    signal: closing.signal,
    user: () => mirror.user,
    epoch: () => mirror.position?.epoch,
    onRefused: ({ status: refused, error }) => {
      if (refused === UNAUTHORIZED) standing.set({ isLive: false, refused, error })
      if (refused === UNAUTHORIZED || refused === OTHER_USER) link.renew()
    },
    onPassed: () => link.retry(),
  })
  const calls = createPageCalls({
    environment,
    clientId: id,
    closing: closing.signal,
    owner,
    mirror,
    store,
    post,
    network: standing.network,
    onRefused: (error, callId) => report(error, { callId, operation: 'cancel' }),
    onSettled: settled.notify,
    onForgotten: forgotten.notify,
  })
  const link = createLink({
    ...to,
    carrier,
    name: `taskwire:bridge:${id}`,
    crossTab,
    position: () => mirror.position,
    snapshot: mirror.snapshot,
    onNews: (news) => {
      const changes = mirror.take(news)
      if (changes === undefined) return false
      heardAt = environment.now()
      calls.take(changes)
      standing.heard(news.connection !== undefined)
      return true
    },
    onStatus: standing.set,
    onError,
  })

  function open(): void {
    if (closing.signal.aborted) return
    standing.begin()
    link.open()
  }

  return clientOf({
    ...{ id, url, owner, resume, store, calls, post, settled, forgotten, closing, open },
    heardAt: () => heardAt,
    newsOf: mirror.wireOf,
    untilKnown: (isAsked) => {
      open()
      if (isAsked) link.retry()
      return standing.untilHeard(isAsked)
    },
    close: (reason) => {
      closing.abort(reason)
      link.close()
      calls.close(reason)
      standing.close(reason)
    },
  })
}
