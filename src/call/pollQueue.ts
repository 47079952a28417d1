import type { Environment } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import { TaskConfigurationError, TaskProtocolError } from '../protocol/errors.js'
import type { Following } from './call.js'
import type { CallTabs } from './callTabs.js'
import { type PollPolicy, pollInterval } from './pollPolicy.js'
import { type PollResponse, pollMessage } from './pollSchedule.js'
import { withRequestTimeout } from './requests.js'
import { POLLING_MS, type TaskMessage } from './taskMessage.js'
import type { TaskPort } from './taskPort.js'

export interface PollQueueOptions {
  readonly port: Pick<TaskPort, 'connect' | 'getTask' | 'era'>
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly tabs: Pick<CallTabs, 'hasPeers' | 'postTask'>
  /** How many `tasks/get` may be under way at once. */
  readonly maxConcurrent: number
  /** The calls that follow a task. A server may have answered two calls with one task. */
  readonly followersOf: (taskId: string) => readonly Following[]
  readonly isPushed: (taskId: string) => boolean
  readonly onSent: (taskId: string) => void
  readonly onMessage: (taskId: string, message: TaskMessage) => void
}

/** The polls that are due: one a task, and no more at once than the page has connections to spare. */
export interface PollQueue {
  add(taskId: string): void
  /** Nobody follows the task any more. */
  drop(taskId: string): void
  /** Gives up the polls under way: an open request can keep a page out of the back-forward cache. */
  abort(): void
}

/** Why a poll was given up without being a failure. */
const GIVEN_UP = new Error('The poll was given up.')

export function createPollQueue(options: PollQueueOptions): PollQueue {
  const { port, environment, policy, tabs } = options
  const waiting = new Set<string>()
  const underWay = new Map<string, AbortController>()

  function next(): void {
    for (const taskId of waiting) {
      if (underWay.size >= options.maxConcurrent) return
      waiting.delete(taskId)
      void poll(taskId)
    }
  }

  async function poll(taskId: string): Promise<void> {
    const controller = new AbortController()
    underWay.set(taskId, controller)
    const startedAt = environment.now()
    const stopAnnouncing = announce(taskId)
    const response = await send(taskId, controller)
    stopAnnouncing()
    underWay.delete(taskId)
    const message = messageOf(taskId, response, startedAt)
    if (message !== undefined) {
      // How this page is set up says nothing of the task.
      const isLocal = message.type === 'ended' && message.error instanceof TaskConfigurationError
      if (!isLocal) tabs.postTask(taskId, message)
      options.onMessage(taskId, message)
    }
    next()
  }

  /** What the response means; undefined where nobody follows the task any more. */
  function messageOf(taskId: string, response: PollResponse | undefined, startedAt: number): TaskMessage | undefined {
    const [follower] = options.followersOf(taskId)
    if (follower === undefined) return undefined
    const now = environment.now()
    if (response === undefined) return { type: 'poll-aborted', nextPollAt: follower.dueAt }
    if ('error' in response && response.error === GIVEN_UP) {
      return { type: 'poll-aborted', nextPollAt: now + pollInterval(follower.task.pollIntervalMs, policy) }
    }
    const isPushed = options.isPushed(taskId)
    const jitter = environment.random()
    return pollMessage(follower, { response, startedAt, now, era: port.era, policy, isPushed, jitter })
  }

  /**
   * One `tasks/get`. Not sent at all where something else came first:
   *
   * ```text
   * tab A  due ─ connects ·········· receives B's response ─ does not ask again
   * tab B  polls ───────── response
   * ```
   */
  async function send(taskId: string, controller: AbortController): Promise<PollResponse | undefined> {
    try {
      const task = await withRequestTimeout({ taskId, environment, policy }, controller, async (signal) => {
        await port.connect?.()
        const follower = options.followersOf(taskId).find(isDue)
        if (follower === undefined) return undefined
        options.onSent(taskId)
        return port.getTask(taskId, signal, follower.era)
      })
      if (task === undefined || task.taskId === taskId) return task && { task }
      return { error: new TaskProtocolError('the response is about another task', { source: 'tasks/get', taskId }) }
    } catch (error) {
      return { error: asError(error) }
    }
  }

  function isDue({ poll, poller, dueAt }: Following): boolean {
    return poll === 'queued' && poller === 'this-tab' && dueAt <= environment.now()
  }

  /** Says to the other tabs that a poll is under way, again and again while it is. Returns a function that ends it. */
  function announce(taskId: string): () => void {
    if (!tabs.hasPeers()) return () => {}
    let timer: unknown
    const say = () => {
      tabs.postTask(taskId, { type: 'polling', until: environment.now() + POLLING_MS })
      timer = environment.setTimeout(say, POLLING_MS / 2)
    }
    say()
    return () => environment.clearTimeout(timer)
  }

  return {
    add: (taskId) => {
      if (underWay.has(taskId)) return
      waiting.add(taskId)
      next()
    },
    drop: (taskId) => {
      waiting.delete(taskId)
      underWay.get(taskId)?.abort(GIVEN_UP)
    },
    abort: () => {
      for (const controller of underWay.values()) controller.abort(GIVEN_UP)
    },
  }
}
