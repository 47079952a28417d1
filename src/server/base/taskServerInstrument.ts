import type { JsonObject } from '../../core/protocol/json.js'
import type { TaskServerEvent, TaskServerGauges } from './taskServerEvents.js'

/** Sees the calls of a task server, for traces and metrics: what `instrumentTaskServer()` of `taskwire/otel` makes. */
export interface TaskServerInstrument {
  /**
   * Called with each call of a tool whose arguments are valid, and with each job of a worker. Calls `run` once, and settles as
   * it does: for a task, when its work has ended. `run` resolves to the tool's result.
   */
  runTool<T>(call: InstrumentedCall, run: () => Promise<T>): Promise<T>
  /** Called with all other events. With it, the time that each operation of the store takes is measured. */
  record?(event: TaskServerEvent): void
  /** Called once, with a function that says how much there is to do right now. Returns a function that ends that. */
  observe?(read: () => TaskServerGauges): () => void
}

/** A call of a tool. */
export interface InstrumentedCall {
  /** The tool's name. */
  readonly tool: string
  /** `_meta` of the request, as the client has sent it: untrusted. */
  readonly meta: JsonObject
  /** The revision of MCP, as the client has named it in the headers: untrusted. */
  readonly protocolVersion: string | undefined
  /** The time by the clock of the server, in ms since the epoch. */
  readonly now: () => number
}
