import type { TaskClientState, ToolCallState } from 'taskwire'
import { mountTaskwireDevtools, type ObservedClient } from 'taskwire/devtools'
import { createStore } from 'zustand/vanilla'

/** A page with a thousand calls at work, all of which have progress every 50 ms. */
const MANY = 1000

const callOf = (index: number, progress: number): ToolCallState => ({
  callId: `c${index}`,
  name: `tool ${index}`,
  phase: 'working',
  progress: { progress, total: 1000 },
  inputRequests: {},
  inputResponses: {},
  isCancelling: false,
  network: 'ok',
  failureCount: 0,
  startedAt: index,
})

const callsAt = (progress: number) =>
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`c${index}`, callOf(index, progress)]))

const store = createStore<TaskClientState>(() => ({ connection: { status: 'connected' }, calls: callsAt(0) }))
const client: ObservedClient = { store, observe: () => () => {}, getToolCall: () => undefined }
mountTaskwireDevtools(client, { initialIsOpen: true })

let progress = 0
setInterval(() => store.setState({ calls: callsAt(++progress % MANY) }), 50)
