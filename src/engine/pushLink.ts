import type { Unsubscribe } from '../environment/environment.js'
import type { DetailedTask } from '../protocol/task.js'

/** What the server pushes of one task (SEP-2663, "Task Status Notifications"). */
export interface PushLink {
  /** True if the server pushes what happens to the task: it has said so, and has done it. */
  isLive(): boolean
  /** Hears when that changes. */
  onChange(listener: () => void): Unsubscribe
  onTask(listener: (task: DetailedTask) => void): Unsubscribe
  /** Follows the task no longer. */
  close(): void
}

const nothing = (): void => {}

/** The link of a task that the server says nothing of by itself. */
export const NO_PUSH: PushLink = {
  isLive: () => false,
  onChange: () => nothing,
  onTask: () => nothing,
  close: nothing,
}
