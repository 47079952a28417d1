// A notification holds up every commit of the database for a moment, so workers are only notified where one waits. A worker that has
// room for more jobs than there were says so by an advisory lock, which is shared with the others and ends with its session.

/** The channel on which workers hear of jobs. */
export const jobsChannel = (schema: string): string => `${schema}_jobs`

const lockOf = (schema: string) => `hashtext('taskwire jobs'), hashtext('${schema}')`

/** What a worker runs, in the session that listens, when it begins to wait. */
export const beginWaiting = (schema: string): string => `SELECT pg_advisory_lock_shared(${lockOf(schema)})`

/** What it runs when it has no room left. */
export const endWaiting = (schema: string): string => `SELECT pg_advisory_unlock_shared(${lockOf(schema)})`

/** An expression that notifies workers where one waits: then the lock cannot be had alone. */
export const wakeWorkers = (schema: string): string => {
  const isAlone = `pg_try_advisory_lock(${lockOf(schema)}) AND pg_advisory_unlock(${lockOf(schema)})`
  return `CASE WHEN ${isAlone} THEN NULL ELSE pg_notify('${jobsChannel(schema)}', '')::text END`
}
