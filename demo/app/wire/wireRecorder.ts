import type { TaskStatus } from 'taskwire'
import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'

/** A request of this page, or what the server pushed. Times are ms since the epoch. */
export interface WireMessage {
  readonly id: string
  readonly method: string
  /** When the request went out, or when the push came in. */
  readonly sentAt: number
  readonly answeredAt?: number
  readonly hasFailed?: boolean
  /** The task it is about; for a `tools/call`, the task it was answered with. */
  readonly taskId?: string
  /** What the server said of the task. */
  readonly status?: TaskStatus
  readonly pollIntervalMs?: number
}

interface WireRecorder {
  readonly messages: readonly WireMessage[]
  /** When this tab has loaded the page. */
  readonly pageLoads: readonly number[]
}

const MOST_MESSAGES = 600

/** What went over the wire, in this tab: kept in the session, so that the plot shows what a reload changes. */
export const useWireRecorder = create<WireRecorder>()(
  persist((): WireRecorder => ({ messages: [], pageLoads: [] }), {
    name: 'taskwire-demo:wire',
    storage: createJSONStorage(() => sessionStorage),
  }),
)

const { setState } = useWireRecorder

export function recordPageLoad(): void {
  setState(({ pageLoads }) => ({ pageLoads: [...pageLoads, Date.now()].slice(-20) }))
}

/** Notes a message. What comes back adds to the note. */
export function record(message: Omit<WireMessage, 'id'>): (more: Partial<WireMessage>) => void {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-')
  setState(({ messages }) => ({ messages: [...messages, { ...message, id }].slice(-MOST_MESSAGES) }))
  return (more) =>
    setState(({ messages }) => ({ messages: messages.map((one) => (one.id === id ? { ...one, ...more } : one)) }))
}
