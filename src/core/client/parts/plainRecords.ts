import { pageStorage } from '../../storage/pageStorage.js'
import type { PartsOfClient } from './parts.js'

/** How records are kept and found where no task id names a session, as none of 2026-07-28 does. */
export const PLAIN_RECORDS: Pick<PartsOfClient, 'openStorage' | 'readFound'> = {
  openStorage: (environment) => pageStorage('local', environment),
  readFound: (_run, _callId, found) => found,
}
