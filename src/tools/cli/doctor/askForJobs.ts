import { askForTools } from '../../diagnose/askForTools.js'
import type { Spoken } from '../../diagnose/meetServer.js'
import { findJobPairs, type JobPair } from './jobPairs.js'

/** The pairs of job tools of a server. One that has tasks needs none. */
export async function askForJobs(spoken: Spoken): Promise<readonly JobPair[]> {
  return spoken.server.servesTasks ? [] : findJobPairs(await askForTools(spoken))
}
