import type { CallMeta, ToolCallRequest } from '../protocol/taskPort.js'
import { createListeners } from './listeners.js'

/** A call that the app starts. */
export interface StartedCall {
  readonly callId: string
  /** The tool's name. */
  readonly name: string
}

/** What the app adds to `_meta` of its `tools/call` requests. */
export interface CallMetas {
  /** Returns a function that removes it. */
  add(prepare: (call: StartedCall) => () => CallMeta): () => void
  /** What is added to the request of a call that is being started; undefined where nothing is. */
  prepare(call: StartedCall): ToolCallRequest['meta']
}

/** `guard` calls something of the app: what it throws must not fail a call. */
export function createCallMetas(guard: (call: () => void) => void): CallMetas {
  const added = createListeners<[StartedCall, (() => CallMeta)[]]>(guard)
  return {
    add: (prepare) => added.add((call, parts) => parts.push(prepare(call))),
    prepare: (call) => {
      const parts: (() => CallMeta)[] = []
      added.notify(call, parts)
      if (parts.length === 0) return undefined
      return () => {
        const meta = {}
        for (const part of parts) guard(() => Object.assign(meta, part()))
        return meta
      }
    },
  }
}
