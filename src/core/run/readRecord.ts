import type { CallRecord } from '../record/record.js'
import type { Run } from './run.js'

/** How long to wait for a storage that does not answer, in ms. */
const STORAGE_RETRY_MS = 1000

/**
 * Reads the storage. A storage that several processes share is read again until it answers, since a record may be there that
 * cannot be read now.
 *
 * @throws the signal's reason.
 */
export async function untilRead<T>(
  { records, environment }: Run,
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    const found = await read()
    if (found !== 'silent' || !records.isShared) return found
    await new Promise<void>((resolve) => environment.setTimeout(resolve, STORAGE_RETRY_MS))
    signal.throwIfAborted()
  }
}

/**
 * What other pages have left of a call.
 *
 * @throws the signal's reason.
 */
export async function readRecord(run: Run, callId: string, signal: AbortSignal): Promise<CallRecord | undefined> {
  return run.readFound(run, callId, await untilRead(run, () => run.records.find(callId), signal))
}
