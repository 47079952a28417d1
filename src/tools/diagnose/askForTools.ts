import { resultOf } from './answers.js'
import type { Spoken } from './meetServer.js'

/** Servers have fewer tools than fit here. */
const MAX_PAGES = 20

/** The tools of a server, as it lists them. */
export async function askForTools({ asker, message }: Pick<Spoken, 'asker' | 'message'>): Promise<unknown[]> {
  const tools: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = resultOf(await asker.send(message('tools/list', cursor === undefined ? {} : { cursor })))
    if (!Array.isArray(result?.['tools'])) break
    tools.push(...result['tools'])
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') break
  }
  return tools
}
