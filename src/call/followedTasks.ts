import type { Environment } from '../environment/environment.js'
import type { CallEvent } from './call.js'
import type { CallEntry } from './callEntry.js'
import { type CallPlaces, createCallPlaces } from './callPlaces.js'
import type { CallTabs } from './callTabs.js'
import { knownMessages } from './knownMessages.js'
import type { PollPolicy } from './pollPolicy.js'
import { createPollQueue, type PollQueue } from './pollQueue.js'
import type { PushSubscription, PushSubscriptionOptions } from './pushSubscription.js'
import { createTaskIndex, type TaskIndex } from './taskIndex.js'
import type { TaskMessage } from './taskMessage.js'
import type { TaskPort } from './taskPort.js'
import { isPolledHere } from './transition.js'

export interface FollowedTasksOptions {
  readonly port: TaskPort
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly tabs: CallTabs
  /** Opens the stream of what the server pushes. */
  readonly createPush: (options: PushSubscriptionOptions) => PushSubscription
  readonly maxConcurrentPolls: number
  readonly now: () => number
  readonly dispatch: (entry: CallEntry, event: CallEvent) => void
  /** Called when there is a task in this page. Returns what is called when there is none any more. */
  readonly onFirst: () => () => void
}

/** The tasks of this page: which calls are theirs, and how it learns what becomes of them. */
export interface FollowedTasks {
  readonly index: TaskIndex
  readonly push: PushSubscription
  readonly polls: PollQueue
  readonly places: CallPlaces
  /** Takes what is learned about a task, by polling or otherwise. */
  receive(taskId: string, event: CallEvent): void
  /** What this page knows of a task, for another tab that asks. */
  knownOf(taskId: string): readonly TaskMessage[]
  /** The tasks that this tab polls. */
  polledTaskIds(): readonly string[]
}

export function createFollowedTasks(options: FollowedTasksOptions): FollowedTasks {
  const { port, environment, dispatch } = options
  const index = createTaskIndex(options.onFirst)

  function receive(taskId: string, event: CallEvent): void {
    for (const entry of index.entriesOf(taskId)) dispatch(entry, event)
  }

  const polledTaskIds = () => index.taskIds().filter((taskId) => index.followersOf(taskId).some(isPolledHere))
  const push = options.createPush({
    ...options,
    taskIds: polledTaskIds,
    onTask: (task) => receive(task.taskId, { type: 'pushed', task }),
    onHint: (taskId) => receive(taskId, { type: 'hint' }),
    onChange: (taskId) => receive(taskId, { type: 'push-changed' }),
  })
  const polls = createPollQueue({
    ...options,
    maxConcurrent: options.maxConcurrentPolls,
    followersOf: index.followersOf,
    isPushed: push.isPushed,
    onSent: (taskId) => receive(taskId, { type: 'poll-sent' }),
    onMessage: (taskId, message) => receive(taskId, { type: 'message', message, isOwn: true }),
  })
  const onReleased = (taskId: string) => {
    polls.drop(taskId)
    port.release?.(taskId)
  }
  const places = createCallPlaces({ ...options, index, push, onReleased })
  const knownOf = (taskId: string) => {
    const [follower] = index.followersOf(taskId)
    return follower === undefined ? [] : knownMessages(follower, environment.now())
  }
  return { index, push, polls, places, receive, knownOf, polledTaskIds }
}
