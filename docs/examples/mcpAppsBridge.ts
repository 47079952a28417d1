import type { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import type { TaskClient } from 'taskwire'

/**
 * How often the bridge sends progress to a view, in ms: a view gives up a call
 * after 60 s without any.
 */
const SIGN_OF_LIFE_MS = 20_000

/**
 * Lets a task client make and follow the tool calls of a view. Call this after
 * `bridge.connect()`.
 */
export function followToolCalls(bridge: AppBridge, tasks: TaskClient): void {
  // The bridge warns of a handler that is replaced.
  bridge.oncalltool = undefined
  bridge.oncalltool = async ({ name, arguments: args }, { mcpReq }) => {
    const call = tasks.startToolCall(
      { name, arguments: args },
      { signal: mcpReq.signal },
    )
    const progressToken = mcpReq._meta?.progressToken
    let sent = 0
    const sendProgress = () => {
      if (progressToken === undefined) return
      sent += 1
      const { task, progress } = call.getState()
      const message = progress?.message ?? task?.statusMessage
      const params = {
        progressToken,
        progress: sent,
        ...(message !== undefined && { message }),
      }
      mcpReq
        .notify({ method: 'notifications/progress', params })
        .catch(() => {})
    }
    const timer = setInterval(sendProgress, SIGN_OF_LIFE_MS)
    const unsubscribe = call.subscribe(sendProgress)
    try {
      return { ...(await call.result) }
    } finally {
      clearInterval(timer)
      unsubscribe()
    }
  }
}
