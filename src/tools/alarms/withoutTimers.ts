import { mustBe } from '../../core/client/mustBe.js'
import type { TaskClient, TaskClientBaseOptions, TaskErrorContext } from '../../core/client/taskClient.js'
import type { AnyTools, ToolsOf } from '../../core/client/tools.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { InputHandler, InputHandlers } from '../../core/run/inputs.js'
import { createWaits, type Waits } from './waits.js'

/** The options of `createTaskClient` for a client without timers. */
export type OptionsWithoutTimers<Options extends TaskClientBaseOptions = TaskClientBaseOptions> = Options & {
  /** The storage for records of calls. The next process knows only these records. */
  storage: NonNullable<Options['storage']>
  /** Off, because a stream would keep the host awake. */
  push?: false
  /** Off, because there are no tabs to share the work with. */
  crossTab?: false
  /** The client follows every task, because no page watches while the host sleeps. */
  resume?: 'eager'
}

/** A client that uses no timers. Made by {@link withoutTimers}. */
export interface TaskClientWithoutTimers<T = AnyTools> extends TaskClient<T> {
  /**
   * When the next `tick()` has something to do, in ms since the epoch: a poll is due, or a request must be repeated. While
   * a request runs, and before the first `tick()`, it is the current time. If the storage has failed in the first `tick()`,
   * or a call is running and there is no network, it is at most a minute ahead. Undefined while there is nothing to do: no
   * call is running, all running calls wait for credentials, or the client is closed.
   */
  readonly nextWakeAt: number | undefined
  /**
   * Does the work that is due. The first `tick()` also resumes the recorded calls, and so does the next one if the storage
   * has failed in it. It sends each poll that is due, and
   * waits for running work, such as a `tools/call`, an input response, or a handler of `input.handlers`. It also does work
   * that becomes due meanwhile. Resolves when all responses are received and recorded. A `tick()` during another one waits
   * for the same work. After `close()`, or when the client is closed meanwhile, it resolves.
   *
   * @example
   * ```ts
   * const client = withoutTimers(createTaskClient, { url, storage })
   * await client.tick()
   * if (client.nextWakeAt !== undefined) await setAlarm(client.nextWakeAt)
   * ```
   */
  tick(): Promise<void>
}

/**
 * Turns of the event loop in which nothing happens, after which nothing is under way. Code that is loaded when it is needed takes
 * some, and no timer says so.
 */
const QUIET_TURNS = 4

/** When to look again where the storage has failed, or there is no network, in ms. */
const AGAIN_MS = 60_000

/**
 * Creates a client for a host that sleeps: a Durable Object with alarms, a cron job, a serverless function, a service
 * worker. The client polls only in `tick()`, and `nextWakeAt` says when the next poll is due. So a process only has to
 * exist while it polls, even if a task takes minutes: the next process resumes the calls from their records.
 *
 * @param create `createTaskClient` of `taskwire`, `taskwire/lite` or `taskwire/sdk-v1`, or a function that passes the options on
 * to `createClient` of `taskwire/core`.
 * @throws {TaskConfigurationError} if an option cannot be used; the message says what to change.
 *
 * @example
 * ```ts
 * import { createTaskClient } from 'taskwire/lite'
 *
 * const client = withoutTimers(createTaskClient, { url: 'https://mcp.example.com/mcp', storage })
 * client.onToolCallSettled((call) => console.log(call.phase))
 * await client.tick()
 * console.log(client.nextWakeAt)
 * await client.close()
 * ```
 */
export function withoutTimers<Options extends TaskClientBaseOptions>(
  create: <T extends object = AnyTools>(options: Options) => TaskClient<ToolsOf<T>>,
  options: OptionsWithoutTimers<NoInfer<Options>>,
): TaskClientWithoutTimers
export function withoutTimers<Options extends TaskClientBaseOptions, T>(
  create: (options: Options) => TaskClient<T>,
  options: OptionsWithoutTimers<NoInfer<Options>>,
): TaskClientWithoutTimers<T>
export function withoutTimers<Options extends TaskClientBaseOptions>(
  create: (options: Options) => TaskClient,
  options: OptionsWithoutTimers<NoInfer<Options>>,
): TaskClientWithoutTimers {
  if (typeof create !== 'function') {
    throw mustBe(
      'The first argument of withoutTimers',
      create,
      'a function that makes a client, such as createTaskClient',
    )
  }
  checkOptions(options)
  const host = { ...browserEnvironment(), ...options.environment }
  const waits = createWaits(host)
  let storageFailures = 0
  const onStorageFailed = () => {
    storageFailures += 1
  }
  const client = create(optionsOf(options, waits, onStorageFailed))
  const { close, startToolCall } = client
  let isClosed = false
  /** When the recorded calls are to be resumed; undefined once they are. */
  let resumeAt: number | 'now' | undefined = 'now'
  let ticking: Promise<void> | undefined

  /** True where a task has ended, and its outcome is still being made. */
  function isEnding(): boolean {
    const { calls } = client.store.getState()
    return Object.values(calls).some(
      ({ phase, task, callId }) =>
        (phase === 'working' || phase === 'input_required') &&
        task !== undefined &&
        client.getToolCall(callId)?.nextPollAt === undefined,
    )
  }

  /** Ends the waits that are over, until nothing is under way. True if there were any. */
  async function untilQuiet(): Promise<boolean> {
    let hasWoken = false
    for (let quiet = 0; quiet < QUIET_TURNS && !isClosed; quiet++) {
      hasWoken = waits.wake() || hasWoken
      if (waits.isBusy() || isEnding()) quiet = -1
      await waits.change()
    }
    return hasWoken
  }

  async function work(): Promise<void> {
    const failuresBefore = storageFailures
    const resuming = resumeAt === undefined ? undefined : waits.hold(client.resumeToolCalls())
    // The process may end without notice, so what the polls have brought is written. Other polls may be due after that.
    while (await untilQuiet()) waits.hide()
    // A storage that was not read may have more calls.
    if (resuming !== undefined) resumeAt = storageFailures > failuresBefore ? host.now() + AGAIN_MS : undefined
    ticking = undefined
    await resuming
  }

  const isRunning = () => Object.values(client.store.getState().calls).some(({ endedAt }) => endedAt === undefined)

  function nextWakeAt(): number | undefined {
    if (resumeAt === 'now' || ticking !== undefined || waits.isBusy()) return host.now()
    // The process may end before the network is back: the host must start one again.
    const offlineAt = !host.isOnline() && isRunning() ? host.now() + AGAIN_MS : undefined
    const first = Math.min(...[resumeAt, offlineAt, waits.firstAt()].map((at) => at ?? Number.POSITIVE_INFINITY))
    return first < Number.POSITIVE_INFINITY ? first : undefined
  }

  const added: Pick<TaskClientWithoutTimers, 'close' | 'nextWakeAt' | 'startToolCall' | 'tick'> = {
    get nextWakeAt() {
      return isClosed ? undefined : nextWakeAt()
    },
    tick: () => {
      if (isClosed) return Promise.resolve()
      ticking ??= work()
      return ticking
    },
    startToolCall: (...call) => {
      // A call is under way before anything of it has a timer.
      waits.stir()
      return startToolCall(...call)
    },
    close: async () => {
      isClosed = true
      await Promise.all([close(), ticking])
    },
  }
  return Object.defineProperties(client, Object.getOwnPropertyDescriptors(added)) as TaskClientWithoutTimers
}

function optionsOf<Options extends TaskClientBaseOptions>(
  options: Options,
  waits: Waits,
  onStorageFailed: () => void,
): Options {
  const { input } = options
  return {
    ...options,
    onError: (error: Error, context: TaskErrorContext) => {
      if (context.operation === 'storage') onStorageFailed()
      options.onError?.(error, context)
    },
    push: false,
    crossTab: false,
    resume: 'eager',
    environment: waits.environment,
    ...(input && { input: { ...input, ...(input.handlers && { handlers: heldHandlers(input.handlers, waits) }) } }),
  }
}

/** The handlers of the app. What they do is under way, and no timer of the client says so. */
function heldHandlers(handlers: InputHandlers, { hold }: Waits): InputHandlers {
  const held = Object.entries(handlers).map(([kind, handler]) => {
    const handle: InputHandler<never> = (request, context) =>
      hold((async () => (handler as InputHandler<unknown>)(request, context))())
    return [kind, typeof handler === 'function' ? handle : handler]
  })
  return Object.fromEntries(held)
}

function checkOptions(options: OptionsWithoutTimers): void {
  const { storage, push = false, crossTab = false, resume = 'eager' } = Object(options) as OptionsWithoutTimers
  if (storage === undefined) {
    throw new TaskConfigurationError(
      'withoutTimers got no storage. Say where calls are recorded, because the next process knows nothing else: pass storage ' +
        'with a TaskStorage of your host.',
    )
  }
  if (push !== false) throw mustBe('push of withoutTimers', push, 'false: a stream keeps the host awake')
  if (crossTab !== false) throw mustBe('crossTab of withoutTimers', crossTab, 'false: there are no tabs to share with')
  if (resume !== 'eager')
    throw mustBe('resume of withoutTimers', resume, "'eager': no page watches while the host sleeps")
}
