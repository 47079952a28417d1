import { isJsonObject } from '../../core/protocol/json.js'
import { PROGRESS_META, parseProgress, type TaskProgress } from '../../core/protocol/progress.js'

/** Called with how far a call has come. */
export type OnProgress = (progress: TaskProgress) => void

/** The token of one call, which is good for as long as the task of the call lives (2025-11-25, "Task Progress"). */
export interface CallProgress {
  readonly token: string
  /** Takes the parameters of a `notifications/progress`. */
  receive(params: unknown): void
  /** The call has become this task. */
  becomes(taskId: string): void
  /** The call is answered, or given up: unless it is a task by now, the token is no longer good. */
  end(): void
}

export interface CallProgresses {
  open(onProgress: OnProgress): CallProgress
  /** Takes a `notifications/progress`. False: the token is not one of ours. */
  receive(params: unknown): boolean
  /** The task has ended. */
  over(taskId: string): void
}

interface OpenProgress extends CallProgress {
  taskId?: string
}

/**
 * What the server notifies of its progress, by the token that a `tools/call` has carried. After a reload the tokens of the
 * page before are gone, and what is notified under them is not ours.
 *
 * The progress of a call must increase (2025-11-25, "Progress"). A notification that says less than the one before has been
 * overtaken on its way, or is wrong; either way it is passed over.
 */
export function createCallProgresses(randomId: () => string, onIssue: (violation: string) => void): CallProgresses {
  const open = new Map<unknown, OpenProgress>()

  return {
    open: (onProgress) => {
      let before = 0
      const call: OpenProgress = {
        token: `taskwire:${randomId()}`,
        receive: (params) => {
          const progress = parseProgress({ _meta: { [PROGRESS_META]: params } }, onIssue)
          if (progress === undefined) return
          if (progress.progress < before) return onIssue('the progress has gone back; ignored')
          before = progress.progress
          onProgress(progress)
        },
        becomes: (taskId) => {
          call.taskId = taskId
        },
        end: () => {
          if (call.taskId === undefined) open.delete(call.token)
        },
      }
      open.set(call.token, call)
      return call
    },
    receive: (params) => {
      const call = isJsonObject(params) ? open.get(params['progressToken']) : undefined
      call?.receive(params)
      return call !== undefined
    },
    over: (taskId) => {
      for (const [token, call] of open) if (call.taskId === taskId) open.delete(token)
    },
  }
}
