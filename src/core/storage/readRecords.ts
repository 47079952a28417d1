import { decodeCallRecord } from '../record/codec.js'
import { isRecordExpired } from '../record/keep.js'
import { type CallRecord, isOver } from '../record/record.js'
import { isPromise, type MaybePromise } from './keyedQueue.js'
import type { RecordItems } from './recordItems.js'

export interface ReadRecordsOptions extends Pick<RecordItems, 'onText'> {
  readonly parse: (key: string, text: string) => CallRecord | undefined
  /** Removes the item of the record unless it is another one by now. */
  readonly removeOnly: (key: string, only: CallRecord) => MaybePromise<void>
  readonly now: () => number
  /** Lets the page do something else before the work continues. */
  readonly pause: () => Promise<void>
  /** Called with the records that may have to be followed, the oldest first, before those of ended tasks are read. */
  readonly onWorking: ((records: readonly CallRecord[]) => void) | undefined
}

/** A key and its text. */
type Item = readonly [key: string, text: string]

/** What the text of a record has whose task has ended. Another text that has it is only read later than it might be. */
const ENDED = /"status":"(completed|failed|cancelled)"/

/** Records read in one go: what years of visits have left must not hold the page up when it starts. */
const CHUNK = 100

/** Records that are kept. Of more, those of ended calls go, the oldest first. */
export const MAX_RECORDS = 1000

/** The same for the characters of their texts: a fifth of what a browser gives an origin. */
const MAX_CHARACTERS = 1 << 20

/**
 * The records under these keys that are still of use, the oldest first. The others are removed, and of too many the
 * oldest ended ones.
 */
export async function readRecords(keys: readonly string[], options: ReadRecordsOptions): Promise<CallRecord[]> {
  const { onText, parse, removeOnly, now, pause, onWorking } = options
  const working: Item[] = []
  const ended: Item[] = []
  for (const key of keys) {
    const add = (text: string | null | undefined) => {
      if (typeof text === 'string') (ENDED.test(text) ? ended : working).push([key, text])
    }
    const added = onText('read', key, add, undefined)
    // A page's own storage answers at once, and then a thousand texts are there before anything else happens.
    if (isPromise(added)) await added
  }

  const records = new Map<CallRecord, Item>()
  let characters = 0
  const read = ([key, text]: Item) => {
    const record = parse(key, text)
    if (record === undefined) return
    if (isRecordExpired(record, now())) return removeOnly(key, record)
    records.set(record, [key, text])
    characters += key.length + text.length
  }
  await forEach(working, pause, read)
  onWorking?.([...records.keys()].filter((record) => !isEnded(record)).sort(byStart))
  // What is followed now sends its first poll before the page reads many others.
  if (ended.length > CHUNK) await pause()
  await forEach(ended, pause, read)

  const isFull = () => records.size > MAX_RECORDS || characters > MAX_CHARACTERS
  const removable = isFull() ? [...records].filter(([record]) => isEnded(record)).sort(([a], [b]) => byAge(a, b)) : []
  await forEach(removable, pause, ([record, [key, text]]) => {
    if (!isFull()) return
    records.delete(record)
    characters -= key.length + text.length
    return removeOnly(key, record)
  })
  return [...records.keys()].sort(byStart)
}

/** Removes the records under these keys that are past their use, but those under the prefix. What is no record is left. */
export async function removeExpired(
  keys: readonly string[],
  prefix: string,
  { edit, now, pause }: Pick<RecordItems, 'edit'> & Pick<ReadRecordsOptions, 'now' | 'pause'>,
): Promise<void> {
  const isExpired = (text = '') => {
    const record = decodeCallRecord(text, now())
    return record !== undefined && isRecordExpired(record, now())
  }
  const others = keys.filter((key) => !key.startsWith(prefix))
  await forEach(others, pause, (key) => edit('remove', key, (text) => isExpired(text) && null))
}

/** Does something with each, letting the page do something else in between. */
async function forEach<T>(
  items: readonly T[],
  pause: () => Promise<void>,
  action: (item: T) => MaybePromise<unknown>,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index % CHUNK === CHUNK - 1) await pause()
    await action(item)
  }
}

function isEnded({ task }: CallRecord): boolean {
  return task !== undefined && isOver(task)
}

function byStart(a: CallRecord, b: CallRecord): number {
  return a.startedAt - b.startedAt
}

/** Those first that were last seen longest ago. */
function byAge(a: CallRecord, b: CallRecord): number {
  return seenAt(a) - seenAt(b)
}

function seenAt({ task, startedAt }: CallRecord): number {
  return task?.notedAt ?? startedAt
}
