import { readHandedOver } from '../../run/handOver.js'
import { pageStorage } from '../../storage/pageStorage.js'
import { splitStorage } from '../../storage/splitStorage.js'
import { ALL_PARTS } from './allParts.js'
import type { PartsOfClient } from './parts.js'

/** What a client has that may speak to a server of 2025-11-25, where the id of a task can name a session. */
export const PARTS_OF_EVERY_REVISION: PartsOfClient = {
  ...ALL_PARTS,
  openStorage: (environment) => splitStorage(pageStorage('local', environment), pageStorage('session', environment)),
  readFound: readHandedOver,
}
