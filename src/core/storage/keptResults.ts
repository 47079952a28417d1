import type { TaskStorageError } from '../protocol/errors.js'
import type { InTime } from './recordItems.js'
import type { RecordStore } from './recordStore.js'

/** The context of a storage for results. */
export interface KeptResultsContext {
  readonly records: RecordStore
  /** False if another tab cannot see these records, although it may see what is kept beside them. */
  readonly tabsShareStorage: boolean
  /** Names the records of a scope, this client's by default. */
  readonly prefixOf: (scope?: string) => string
  readonly now: () => number
  /** Gives up waiting for a storage that does not answer. */
  readonly inTime: InTime
  readonly onError: (error: TaskStorageError) => void
}

/** Keeps the results of calls in addition to their records. Made by `keptResults()` of `taskwire/results`. */
export type KeptResults = (context: KeptResultsContext) => RecordStore
