import type { JsonObject } from '../../core/protocol/json.js'
import type { TaskServerEvent, TaskServerGauges } from './taskServerEvents.js'

/** Observes the calls of a task server, for traces and metrics. Made by `instrumentTaskServer()` of `taskwire/otel`. */
export interface TaskServerInstrument {
  /**
   * Called with each call of a tool whose arguments are valid, and with each job of a worker. It must call `run` once, and
   * settle as `run` does: for a task, when the work of the task has ended. `run` resolves to the tool's result.
   */
  runTool<T>(call: InstrumentedCall, run: () => Promise<T>): Promise<T>
  /** Called with all other events. If it is present, the server measures the time of each operation of the store. */
  record?(event: TaskServerEvent): void
  /** Called once, with a function that returns the current load. Returns a function that stops observing. */
  observe?(read: () => TaskServerGauges): () => void
}

/** A call of a tool. */
export interface InstrumentedCall {
  /** The tool's name. */
  readonly tool: string
  /** `_meta` of the request, as the client has sent it. Do not trust it. */
  readonly meta: JsonObject
  /** The revision of MCP that the client has named in the headers. Do not trust it. */
  readonly protocolVersion: string | undefined
  /** Returns the time by the clock of the server, in ms since the epoch. */
  readonly now: () => number
  /**
   * Returns why the work was stopped, after `run` has settled: `cancelled` by the client, or `handed-over`, because another
   * process has, or may have, the task and works on it. Undefined if it was not stopped.
   */
  readonly stopped: () => 'cancelled' | 'handed-over' | undefined
}
