import type { CallRecord } from '../record/record.js'
import type { Run } from './run.js'

/** How long to wait for a storage that does not answer, in ms. */
const STORAGE_RETRY_MS = 1000

/**
 * What other pages have left of a call. A storage that other processes have, too, is asked until it answers: a record that cannot be
 * read at the moment may be there.
 *
 * @throws the signal's reason.
 */
export async function readRecord(run: Run, callId: string, signal: AbortSignal): Promise<CallRecord | undefined> {
  const { records, environment } = run
  let found = await records.find(callId)
  while (found === 'silent' && records.isShared) {
    await new Promise<void>((resolve) => environment.setTimeout(resolve, STORAGE_RETRY_MS))
    signal.throwIfAborted()
    found = await records.find(callId)
  }
  return run.readFound(run, callId, typeof found === 'string' ? undefined : found)
}
