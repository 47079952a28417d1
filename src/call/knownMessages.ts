import type { DetailedTask } from '../protocol/task.js'
import type { Following } from './call.js'
import { POLLING_MS, type TaskMessage } from './taskMessage.js'

/** What a tab that follows a task posts to another one that asks: the newest snapshot, how polling fares, and a poll under way. */
export function knownMessages(call: Following, now: number): TaskMessage[] {
  const { dueAt: nextPollAt, earliestAt, failureCount, failure, poll } = call
  const messages: TaskMessage[] = []
  const task = detailed(call)
  if (task !== undefined) messages.push({ type: 'snapshot', task, nextPollAt, earliestAt })
  if (failure !== undefined && failure.network !== 'ok') {
    const { error, network } = failure
    messages.push({ type: 'poll-failed', error, failureCount, network, earliestAt, nextPollAt })
  }
  if (poll !== 'idle') messages.push({ type: 'polling', until: now + POLLING_MS })
  return messages
}

/** The snapshot with its input requests; undefined where these are not known yet. */
function detailed({ task, inputs }: Following): DetailedTask | undefined {
  const { status } = task
  if (status === 'working') return { ...task, status }
  if (status !== 'input_required' || inputs.size === 0) return undefined
  const inputRequests = Object.fromEntries([...inputs].map(([key, { request }]) => [key, request]))
  return { ...task, status, inputRequests }
}
