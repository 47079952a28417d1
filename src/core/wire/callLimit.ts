import type { Environment, TimerHandle } from '../environment/environment.js'
import { ToolCallInterruptedError } from '../protocol/errors.js'
import { onAbort } from '../time/abort.js'
import type { SdkCall } from './sdkAdapter.js'

export interface CallLimitOptions {
  /** How long the server may take to answer a `tools/call`, in ms. */
  readonly callTimeoutMs: number
  readonly environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>
}

/**
 * Sends a `tools/call`, and gives it up where the server does not answer in time. Only the server's time counts:
 *
 * ```text
 * tools/call ── counts ──▶ an input request, open ── counts anew ──▶ a task, followed for as long as it takes
 * ```
 *
 * @throws {ToolCallInterruptedError} if it was given up; else what `send` throws.
 */
export async function withCallLimit<T>(
  { callTimeoutMs, environment }: CallLimitOptions,
  tool: string,
  { ask, ...call }: SdkCall,
  signal: AbortSignal | undefined,
  send: (call: SdkCall, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  let hasResponse = false
  let asking = 0
  let timer: TimerHandle

  function count(): void {
    environment.clearTimeout(timer)
    if (!hasResponse && asking === 0) timer = environment.setTimeout(giveUp, callTimeoutMs)
  }
  function giveUp(): void {
    const cause = new Error(`The server did not answer within ${callTimeoutMs / 1000} s.`)
    controller.abort(new ToolCallInterruptedError(tool, { cause }))
  }

  const limited: SdkCall = {
    ...call,
    ask:
      ask &&
      (async (...request) => {
        asking += 1
        count()
        try {
          return await ask(...request)
        } finally {
          asking -= 1
          count()
        }
      }),
  }
  const stopListening = signal ? onAbort(signal, () => controller.abort(signal.reason)) : () => {}
  count()
  try {
    return await send(limited, controller.signal)
  } finally {
    stopListening()
    hasResponse = true
    count()
  }
}
