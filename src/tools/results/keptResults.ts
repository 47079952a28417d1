import { asError } from '../../core/protocol/asError.js'
import { TaskStorageError } from '../../core/protocol/errors.js'
import { parseDetailedTask } from '../../core/protocol/task.js'
import { hash } from '../../core/record/hash.js'
import { KEEP_ENDED_MS } from '../../core/record/keep.js'
import type { CallRecord, TaskEnd } from '../../core/record/record.js'
import type { KeptResults, KeptResultsContext } from '../../core/storage/keptResults.js'
import { indexedDbItems } from './indexedDbItems.js'

/** A storage for results: texts by name. */
export interface ResultItems {
  get(name: string): Promise<string | undefined>
  set(name: string, text: string): Promise<void>
  remove(names: readonly string[]): Promise<void>
  names(): Promise<readonly string[]>
}

/** The options of {@link keptResults}. */
export interface KeptResultsOptions {
  /**
   * The limit for all results of this origin together, in bytes of their JSON. Beyond the limit, the oldest results are
   * removed. @default 20000000
   */
  maxBytes?: number
  /** The storage for results. @default an IndexedDB database named `taskwire-results` */
  items?: ResultItems
}

/** 20 MB: browsers give an origin at least some hundred. */
const MAX_BYTES = 20_000_000

/**
 * Keeps the results of calls that are made with `keepResult`, so that the app can show them after the server has dropped
 * them. Results are kept in clear text, in the IndexedDB of this origin, until `client.forget()`, until the record of the
 * call is removed (a week after the answer), or until there is no room. It keeps only results of tasks, not results of
 * calls that are answered at once.
 *
 * Needs `idb-keyval`.
 *
 * @example
 * ```ts
 * import { createTaskClient } from 'taskwire'
 * import { keptResults } from 'taskwire/results'
 *
 * const client = createTaskClient({ url: 'https://example.com/mcp', results: keptResults() })
 * await client.callTool({ name: 'generate_report' }, { key: 'report-Q3', keepResult: true })
 * ```
 */
export function keptResults({ maxBytes = MAX_BYTES, items = indexedDbItems() }: KeptResultsOptions = {}): KeptResults {
  return ({ records, tabsShareStorage, prefixOf, now, inTime, onError }) => {
    const kept = answering(items, inTime)
    /** One change after the other: the sizes of what is there are read before something is added. */
    let last: Promise<unknown> = Promise.resolve()

    function inTurn(what: string, work: () => Promise<void>): Promise<void> {
      const turn = last.then(work).catch((error: unknown) => {
        const cause = asError(error)
        onError(new TaskStorageError(`A kept result could not be ${what}: ${cause.message}`, { cause }))
      })
      last = turn
      return turn
    }

    const own = (name: Name, callId?: string) =>
      name.prefix === prefixOf() && (callId === undefined || name.callId === callId)

    async function namesOf(filter: (name: Name) => boolean): Promise<Name[]> {
      const names = (await kept.names()).map(readName)
      return names.filter((name) => name !== undefined).filter(filter)
    }

    const drop = (filter: (name: Name) => boolean, isDropped: (name: Name) => Promise<boolean> = async () => true) =>
      inTurn('removed', async () => {
        const names: Name[] = []
        for (const name of await namesOf(filter)) if (await isDropped(name)) names.push(name)
        if (names.length > 0) await kept.remove(names.map(writeName))
      })

    function keep({ callId, keepResult = 0 }: CallRecord, end: Extract<TaskEnd, { task: unknown }>): Promise<void> {
      return inTurn('written', async () => {
        const { taskId } = end.task
        // The call may have been made again since, in another tab, or forgotten.
        if ((await records.read(callId))?.task?.task.taskId !== taskId) return
        const known = await namesOf((name) => own(name, callId))
        const task = hash(taskId)
        if (known.some((name) => name.task === task)) return
        const text = JSON.stringify({ ...end, task: { ...end.task, taskId: undefined } })
        const bytes = new TextEncoder().encode(text).length
        const limit = Math.min(keepResult, maxBytes)
        if (bytes > limit)
          throw new RangeError(
            `it has ${bytes} bytes, and keepResult allows ${limit}. Pass { maxBytes } with the call.`,
          )
        if (tabsShareStorage) await kept.remove(known.map(writeName))
        await makeRoom(bytes)
        await kept.set(writeName({ prefix: prefixOf(), callId, task, bytes, at: now() }), text)
      })
    }

    /** Removes the oldest results, of whatever server and scope, until so many bytes are free. */
    async function makeRoom(bytes: number): Promise<void> {
      const dropped = oldestOf(await namesOf(() => true), maxBytes - bytes)
      if (dropped.length > 0) await kept.remove(dropped.map(writeName))
    }

    /** The record with the end of its task, where its result is kept. */
    async function withEnd(record: CallRecord): Promise<CallRecord> {
      const { callId, keepResult, task } = record
      if (keepResult === undefined || task?.task.status !== 'completed') return record
      try {
        const { taskId } = task.task
        const [name] = await namesOf((each) => own(each, callId) && each.task === hash(taskId))
        const text = name && (await kept.get(writeName(name)))
        const end = text === undefined ? undefined : readEnd(text, taskId)
        return end === undefined ? record : { ...record, task: { ...task, end } }
      } catch (error) {
        const cause = asError(error)
        onError(new TaskStorageError(`A kept result could not be read: ${cause.message}`, { cause }))
        return record
      }
    }

    return {
      ...records,
      find: async (callId) => {
        const found = await records.find(callId)
        return typeof found === 'object' ? withEnd(found) : found
      },
      read: async (callId) => {
        const found = await records.read(callId)
        return found && withEnd(found)
      },
      update: async (record, ...how) => {
        const isThere = await records.update(record, ...how)
        const end = record.task?.end
        // It is not awaited: the result is shown meanwhile.
        if (isThere && record.keepResult !== undefined && end !== undefined && 'task' in end) void keep(record, end)
        return isThere
      },
      write: async (record, ...how) => {
        const written = await records.write(record, ...how)
        // What was kept of an earlier call with this key belongs to that, or to a tab that has records of its own.
        if (record.task === undefined && written === true && tabsShareStorage)
          void drop((name) => own(name, record.callId))
        return written
      },
      remove: async (callId, only) => {
        const taskId = only?.task?.task.taskId
        const dropped = drop((name) => own(name, callId) && (taskId === undefined || name.task === hash(taskId)))
        await Promise.all([records.remove(callId, only), dropped])
      },
      list: async (onWorking) => {
        const listed = await records.list(onWorking)
        const known = new Set(listed === 'silent' ? [] : listed.map(({ callId }) => callId))
        // A record that is not listed may be there: one of a later version, of a tab that was quicker, of a storage that is silent, or,
        // for the week that records last, of a tab that has records of its own.
        void drop(
          (name) => own(name) && !known.has(name.callId) && (tabsShareStorage || now() >= name.at + KEEP_ENDED_MS),
          async ({ callId }) => !(await records.has(callId)),
        )
        return listed
      },
      clear: async (scope) => {
        const prefix = prefixOf(scope)
        await Promise.all([records.clear(scope), drop((name) => name.prefix === prefix)])
      },
    }
  }
}

/**
 * The storage with a time limit: a database may never open while another page blocks it. The client then asks the server for the
 * result, and `forget()` resolves.
 */
function answering(items: ResultItems, inTime: KeptResultsContext['inTime']): ResultItems {
  return {
    get: (name) => inTime(items.get(name)),
    set: (name, text) => inTime(items.set(name, text)),
    remove: (names) => inTime(items.remove(names)),
    names: () => inTime(items.names()),
  }
}

/** The name of what is kept says all that is to be known without reading it. */
interface Name {
  /** That of the records of its server and scope. */
  readonly prefix: string
  readonly callId: string
  /** A hash of the id of the task: the id may name a session, which is for one tab. */
  readonly task: string
  readonly bytes: number
  /** When it was kept, ms since the epoch. */
  readonly at: number
}

/** The oldest of them: those that do not fit into so many bytes beside the newer ones. */
function oldestOf(names: readonly Name[], room: number): Name[] {
  let left = room
  return [...names]
    .sort((a, b) => b.at - a.at)
    .filter(({ bytes }) => {
      left -= bytes
      return left < 0
    })
}

function writeName({ prefix, callId, task, bytes, at }: Name): string {
  return JSON.stringify([prefix, callId, task, bytes, at])
}

function readName(text: string): Name | undefined {
  try {
    const [prefix, callId, task, bytes, at] = JSON.parse(text) as unknown[]
    const isName = [prefix, callId, task].every((part) => typeof part === 'string')
    return isName && typeof bytes === 'number' && typeof at === 'number'
      ? ({ prefix, callId, task, bytes, at } as Name)
      : undefined
  } catch {
    return undefined
  }
}

/** What another script of the origin has written is read like what a server sends. */
function readEnd(text: string, taskId: string): TaskEnd | undefined {
  const { at, task } = JSON.parse(text) as { at?: unknown; task?: object }
  const parsed = parseDetailedTask({ ...task, taskId }, 'other')
  return parsed.status === 'completed' && typeof at === 'number' ? { at, task: parsed } : undefined
}
