import {
  isBefore,
  isListed,
  limitOf,
  pageOf,
  positionOf,
  type TaskListFilter,
  type TaskPage,
  type TaskSummary,
} from '../tasks/taskList.js'

/** How many tasks are looked at in one go. */
const CHUNK = 200

/** Reads so many entries, from those created at `max` on, without the first `offset` of them: of each, the time and the summary. */
type ReadChunk = (max: number | '+inf', offset: number, count: number) => Promise<unknown>

/** Lists tasks, the newest first. Looks at all that are newer than the last one of the page. */
export async function listTasks(read: ReadChunk, filter: TaskListFilter): Promise<TaskPage> {
  const limit = limitOf(filter)
  const position = positionOf(filter)
  const found: TaskSummary[] = []
  let max = newest(position?.createdAt, filter.createdBefore)
  let offset = 0
  for (;;) {
    const seen = entriesOf(await read(max, offset, CHUNK))
    for (const { task } of seen) {
      if (task === undefined || !isListed(task, filter)) continue
      if (position === undefined || isBefore(position, task)) found.push(task)
      if (found.length > limit) return pageOf(found, limit)
    }
    const last = seen.at(-1)?.createdAt
    if (last === undefined || seen.length < CHUNK || last < (filter.createdAfter ?? 0)) return pageOf(found, limit)
    // Those of the same time come again: they are in the order of their ids.
    const ofLast = seen.filter(({ createdAt }) => createdAt === last).length
    offset = last === max ? offset + ofLast : ofLast
    max = last
  }
}

function newest(...moments: readonly (number | undefined)[]): number | '+inf' {
  const known = moments.filter((at) => at !== undefined)
  return known.length === 0 ? '+inf' : Math.min(...known)
}

function entriesOf(chunk: unknown): readonly { readonly createdAt: number; readonly task: TaskSummary | undefined }[] {
  const texts = Array.isArray(chunk) ? chunk.map(String) : []
  return texts.flatMap((createdAt, at) => {
    const summary = texts[at + 1]
    if (at % 2 === 1 || summary === undefined) return []
    return [{ createdAt: Number(createdAt), task: summary === '' ? undefined : (JSON.parse(summary) as TaskSummary) }]
  })
}
