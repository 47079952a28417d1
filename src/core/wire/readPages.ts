import { WireError } from './wireErrors.js'

/** How many pages are read, as by SDK v2: a server whose list has no end must not keep the page busy. */
const MAX_PAGES = 64

/**
 * The tools of every page of `tools/list`. A page that repeats the one before, with its cursor, is the last, as for SDK v2: some
 * servers never leave the cursor out.
 */
export async function readPages<T>(
  read: (params: { cursor?: string }) => Promise<{ readonly tools: readonly T[]; readonly nextCursor?: unknown }>,
): Promise<T[]> {
  const tools: T[] = []
  let cursor: string | undefined
  let before = ''
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { tools: listed, nextCursor } = await read(cursor === undefined ? {} : { cursor })
    const page = JSON.stringify(listed)
    if (typeof nextCursor === 'string' && nextCursor === cursor && page === before) return tools
    tools.push(...listed)
    if (typeof nextCursor !== 'string') return tools
    cursor = nextCursor
    before = page
  }
  throw new WireError('INVALID_RESULT', `The result of tools/list has more than ${MAX_PAGES} pages.`)
}
