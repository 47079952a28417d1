import type { TaskRecord } from './taskRecord.js'

/**
 * A record in three texts that change for different reasons, so that a store can write one without the others: a lease that is
 * renewed and a status are small, what came with a call may be megabytes.
 */
export interface RecordParts {
  /** Everything but what follows. */
  readonly state: string
  /** What it takes to run the tool again; '' where there is nothing. Written once, and removed at the end. */
  readonly call: string
  /** What the handler has asked, had answered and done, or all content where it is sealed; '' where there is nothing. */
  readonly history: string
}

/** The parts of a record: with the record before, only those that differ, by identity. */
export function recordParts(
  record: TaskRecord,
  previous?: TaskRecord,
): Partial<RecordParts> & Pick<RecordParts, 'state'> {
  const { call, asked, steps, answers, sealed, ...state } = record
  const isEmpty = (of: TaskRecord) => Object.keys(of.answers).length === 0
  const hasHistory = asked !== undefined || steps !== undefined || sealed !== undefined || !isEmpty(record)
  const isSameHistory =
    previous !== undefined &&
    previous.asked === asked &&
    previous.steps === steps &&
    previous.sealed === sealed &&
    (previous.answers === answers || (isEmpty(previous) && isEmpty(record)))
  return {
    state: JSON.stringify(state),
    ...(previous?.call !== call || previous === undefined ? { call: call ?? '' } : {}),
    ...(isSameHistory ? {} : { history: hasHistory ? JSON.stringify({ asked, steps, answers, sealed }) : '' }),
  }
}

/** The record that has these parts. */
export function joinRecord({ state, call, history }: RecordParts): TaskRecord {
  return {
    ...JSON.parse(state),
    answers: {},
    ...(call !== '' && { call }),
    ...(history !== '' && JSON.parse(history)),
  }
}
