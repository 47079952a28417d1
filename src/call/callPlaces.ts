import type { Environment } from '../environment/environment.js'
import { type Call, type CallEvent, type Following, taskIdOf } from './call.js'
import type { CallEntry } from './callEntry.js'
import type { CallTabs } from './callTabs.js'
import { knownMessages } from './knownMessages.js'
import { createMembership } from './membership.js'
import type { PushSubscription } from './pushSubscription.js'
import type { TaskIndex } from './taskIndex.js'
import { isPolledHere } from './transition.js'

export interface CallPlacesOptions {
  readonly environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>
  readonly index: TaskIndex
  readonly tabs: Pick<CallTabs, 'isAlone' | 'leadershipOf' | 'postSyncRequest'>
  readonly push: PushSubscription
  readonly now: () => number
  readonly dispatch: (entry: CallEntry, event: CallEvent) => void
  /** Called when nobody in this page follows the task any more. */
  readonly onReleased: (taskId: string) => void
}

/** What belongs to a call that is followed: its place in the index, its election, its part of the push stream. */
export interface CallPlaces {
  /** The call has changed. */
  move(entry: CallEntry, before: Call, call: Call): void
  /** The call is left, and has no place any more. */
  leave(entry: CallEntry): void
}

export function createCallPlaces(options: CallPlacesOptions): CallPlaces {
  const { index, tabs, push, now, dispatch } = options
  const membership = createMembership(options.environment, (entry) => dispatch(entry, { type: 'leader-changed' }))
  /** How many calls this tab polls for. */
  let polledHere = 0

  /** Stands for the election of the task, and asks what others know of it: other tabs, and other calls of this page. */
  function join(entry: CallEntry, call: Following): void {
    const { record, earliestAt, task } = call
    const { taskId } = task
    if (!tabs.isAlone) {
      entry.leadership = tabs.leadershipOf(taskId)
      membership.join(entry, entry.leadership)
      // What it was taken for may be that of its task before, and another call of this page may have won this election.
      if (entry.leadership.isLeader() !== isPolledHere(call)) {
        dispatch(entry, { type: 'leader-changed' })
      }
      // Another tab may follow the task already, where its record could not be written and the call was sent again.
      tabs.postSyncRequest(taskId, record === 'unwritten' ? earliestAt : undefined)
    }
    const sibling = index.followersOf(taskId).find((other) => other !== entry.call)
    for (const message of sibling ? knownMessages(sibling, now()) : []) {
      dispatch(entry, { type: 'message', message, isOwn: false })
    }
  }

  function releaseUnfollowed(taskId: string): void {
    if (index.followersOf(taskId).length === 0) options.onReleased(taskId)
  }

  function polled(change: 1 | -1): void {
    polledHere += change
    if (polledHere > 0) push.update()
    else push.close()
  }

  return {
    move: (entry, before, call) => {
      const [was, is] = [taskIdOf(before), taskIdOf(call)]
      const wasFollowed = before.stage === 'following'
      const isFollowed = call.stage === 'following'
      if (was !== is) {
        if (was !== undefined) index.remove(was, entry)
        if (is !== undefined) index.add(is, entry)
      }
      const isMoved = was !== is || wasFollowed !== isFollowed
      if (isMoved && wasFollowed) membership.leave(entry)
      if (isMoved && isFollowed) join(entry, call)
      if (isMoved && wasFollowed) releaseUnfollowed(before.task.taskId)
      const [wasPolled, isPolled] = [isPolledHere(before), isPolledHere(call)]
      if (wasPolled !== isPolled) polled(isPolled ? 1 : -1)
      else if (isPolled && was !== is) push.update()
    },
    leave: (entry) => {
      const { call } = entry
      const taskId = taskIdOf(call)
      membership.leave(entry)
      if (taskId !== undefined) index.remove(taskId, entry)
      if (call.stage === 'following') releaseUnfollowed(call.task.taskId)
      if (isPolledHere(call)) polled(-1)
    },
  }
}
