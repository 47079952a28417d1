import type { ToolCall } from '../../core/client/taskClient.js'
import { isEqual } from '../../core/protocol/isEqual.js'
import type { McpToolOutput, McpToolStatus } from './mcpTool.js'
import { toolStatus } from './toolStatus.js'

/**
 * Yields how a call stands, each time that something has changed, and at last its result. A consumer that is slow gets
 * the newest state. Throws what the call fails with.
 */
export async function* followCall<TResult>(
  call: ToolCall<TResult>,
): AsyncGenerator<McpToolOutput<TResult>, void, undefined> {
  let wake = () => {}
  let isOver = false
  let last: McpToolStatus | undefined
  const unsubscribe = call.subscribe(() => wake())
  const end = () => {
    isOver = true
    unsubscribe()
    wake()
  }
  call.result.then(end, end)
  try {
    while (!isOver) {
      // Made before the state is read: what changes while the consumer is at work is not missed.
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const status = toolStatus(call.getState())
      if (status !== undefined && isNews(status, last)) {
        last = status
        yield status
      }
      if (!isOver) await changed
    }
    yield await call.result
  } finally {
    unsubscribe()
    call.detach()
  }
}

/** A call that is about to end has lost its progress, so there is nothing to show. */
function isNews(status: McpToolStatus, last: McpToolStatus | undefined): boolean {
  const { progress = last?.progress, ...rest } = status
  return !isEqual(progress === undefined ? rest : { ...rest, progress }, last)
}
