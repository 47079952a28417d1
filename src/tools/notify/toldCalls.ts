import type { Channel, Environment, TimerHandle } from '../../core/environment/environment.js'

/**
 * The tabs of a browser agree on who tells the user of a call:
 *
 * ```text
 * tab A, visible   settled: the user sees it, says "told" ──▶
 * tab B, hidden    settled: waits ─────────────────────────── hears "told": tells nothing
 * tab C, hidden    settled: waits ─────────────────────────── hears nothing: tells, and says "told"
 *
 * tab A, visible   has not made the call ─── says "told" ──▶
 * tab B, hidden    settled: asks, waits ──────────────────── hears "told": tells nothing
 *
 * tab A, hidden    becomes visible ───────── says "seen" ──▶
 * tab B, hidden    settled: asks, waits ──────────────────── hears "seen": tells nothing
 * ```
 *
 * Where two do so at once, the second notification replaces the first: they have the same tag.
 */
export interface ToldCalls {
  /** The user knows of the call. */
  told(callId: string): void
  /** Calls `tell` unless another tab says meanwhile that the user knows of the call. */
  tellUnlessTold(callId: string, tell: () => void): void
  /** Listens to the other tabs, once and before anything else. */
  listen(): void
  /** The user has come to this tab: neither this one nor another one tells what waits to be told. */
  seen(): void
  close(): void
}

/** How long a hidden tab waits for another one, in ms. A browser may make it a second for a tab in the background. */
const WAIT_MS = 300

/** How long it counts that another tab has told of a call, in ms: the same call may be made again. */
const KNOWN_MS = 10_000

export function createToldCalls(
  { now, setTimeout, clearTimeout, channel: openChannel }: Environment,
  name: string,
  /** True while the user looks at this tab, and needs no telling. */
  isSeen: () => boolean,
): ToldCalls {
  const waiting = new Map<string, TimerHandle>()
  const known = new Map<string, number>()
  let channel: Channel | undefined

  function listen(): void {
    channel = openChannel?.(name)
    channel?.onMessage((message) => {
      const { asks, seen } = Object(message) as { asks?: unknown; seen?: unknown }
      if (typeof asks === 'string' && isSeen()) told(asks)
      if (seen === true) cancelAll()
      if (typeof message !== 'string') return
      cancel(message)
      for (const [callId, at] of known) if (at <= now() - KNOWN_MS) known.delete(callId)
      known.set(message, now())
    })
  }

  function cancel(callId: string): void {
    clearTimeout(waiting.get(callId))
    waiting.delete(callId)
  }

  function cancelAll(): void {
    for (const callId of [...waiting.keys()]) cancel(callId)
  }

  function told(callId: string): void {
    channel?.postMessage(callId)
  }

  return {
    told,
    listen,
    tellUnlessTold: (callId, tell) => {
      const knownAt = known.get(callId)
      known.delete(callId)
      if (knownAt !== undefined && knownAt > now() - KNOWN_MS) return
      cancel(callId)
      channel?.postMessage({ asks: callId })
      const telling = setTimeout(() => {
        waiting.delete(callId)
        told(callId)
        tell()
      }, WAIT_MS)
      waiting.set(callId, telling)
    },
    seen: () => {
      cancelAll()
      if (isSeen()) channel?.postMessage({ seen: true })
    },
    close: () => {
      cancelAll()
      channel?.close()
      channel = undefined
    },
  }
}
