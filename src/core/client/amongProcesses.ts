import type { Environment } from '../environment/environment.js'
import type { Run } from '../run/run.js'
import type { TaskClient } from './taskClient.js'

/** A member of clients for a backend that has several processes, each with a client of the user. */
export const AMONG_PROCESSES: unique symbol = Symbol('taskwire.amongProcesses')

export interface AmongProcesses {
  /** Undefined where the client shares its calls with no other one. */
  readonly channel: Environment['channel']
  /** Undefined while the client has followed no call. */
  readonly run: () => Run | undefined
}

/** A client of ours. One that an app has made of it may lack the member. */
export interface HasProcesses {
  readonly [AMONG_PROCESSES]?: AmongProcesses
}

export function amongProcesses(client: TaskClient & HasProcesses): Partial<AmongProcesses> {
  return client[AMONG_PROCESSES] ?? {}
}
