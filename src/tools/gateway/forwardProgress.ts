import { isAmount } from '../../core/protocol/progress.js'
import type { ToolContext } from '../../server/tools/toolContext.js'

/** Where the server behind stands, as it says. */
export interface ProgressBehind {
  readonly progress?: number | undefined
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** Reports where the server behind stands: the newest alone, where it says more than the store takes in the meantime. */
export function forwardProgress(context: Pick<ToolContext, 'progress'>): (progress: ProgressBehind) => void {
  let next: ProgressBehind | undefined
  let isReporting = false

  async function report(): Promise<void> {
    isReporting = true
    try {
      while (next !== undefined) {
        const { progress, total, message } = next
        next = undefined
        if (isAmount(progress))
          await context.progress(progress, total !== undefined && total > 0 ? total : undefined, message)
        else if (message !== undefined) await context.progress(message)
      }
    } catch {
      // The call has ended, or the store is away, which it reports itself.
    } finally {
      isReporting = false
    }
  }

  return (progress) => {
    next = progress
    if (!isReporting) void report()
  }
}
