import type { CallObservation } from '../../../core/client/observe/events.js'
import type { TaskClient } from '../../../core/client/taskClient.js'
import type { FaultInjection } from '../faults/createFaultInjection.js'
import type { RecordedCall } from '../recording/recording.js'
import type { ObservationLog } from './observationLog.js'
import type { StoredItem } from './recordRow.js'
import type { PageStart } from './summary.js'

/** The part of a client that the devtools use. */
export type ObservedClient = Pick<TaskClient, 'store' | 'observe' | 'getToolCall'> &
  Partial<Pick<TaskClient, 'url' | 'jobs' | 'startToolCall' | 'forget'>>

/** What the panel shows, at one moment. */
export interface DevtoolsModel {
  readonly now: number
  readonly clients: readonly ObservedClient[]
  readonly log: ObservationLog
  /** The recording of each client until now, as a file. */
  readonly recordings: readonly (() => string)[]
  /** Calls out of files. */
  readonly loaded: readonly RecordedCall[]
  /** How the page was when the panel came. */
  readonly start: PageStart
  /** True for what a page before a reload has seen. */
  readonly isEarlier: (observation: CallObservation) => boolean
  readonly faults: FaultInjection | undefined
  readonly items: readonly StoredItem[]
}
