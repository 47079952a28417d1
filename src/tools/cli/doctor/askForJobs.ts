import { resultOf } from '../../diagnose/answers.js'
import type { Spoken } from '../../diagnose/meetServer.js'
import { findJobPairs, type JobPair } from './jobPairs.js'

/** Servers have fewer tools than fit here. */
const MAX_PAGES = 20

/** The pairs of job tools of a server. One that has tasks needs none. */
export async function askForJobs({ asker, server, message }: Spoken): Promise<readonly JobPair[]> {
  if (server.servesTasks) return []
  const tools: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = resultOf(await asker.send(message('tools/list', cursor === undefined ? {} : { cursor })))
    if (!Array.isArray(result?.['tools'])) break
    tools.push(...result['tools'])
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') break
  }
  return findJobPairs(tools)
}
