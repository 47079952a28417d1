import { pageStorage } from '../../storage/pageStorage.js'
import type { PartsOfClient } from './parts.js'

/** How records are kept where no task id names a session, as none of 2026-07-28 does. */
export const PLAIN_RECORDS: Pick<PartsOfClient, 'openStorage'> = {
  openStorage: (environment) => pageStorage('local', environment),
}
