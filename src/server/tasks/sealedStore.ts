import { INTERNAL_ERROR } from '@modelcontextprotocol/server'
import { TaskStorageError } from '../../core/protocol/errors.js'
import { isJsonObject } from '../../core/protocol/json.js'
import type { DetailedTask, Task } from '../../core/protocol/task.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskStore } from './taskStore.js'

/** Encrypts and decrypts what is stored. */
export interface Sealing {
  seal(text: string): string | Promise<string>
  open(sealed: string): string | Promise<string>
}

/** What a person has typed or got, and what was made of it. The call is sealed apart: it may be megabytes, and does not change. */
type Content = Pick<TaskRecord, 'task' | 'repetition' | 'asked' | 'steps' | 'answers'>

/** What was read or written, with its ciphertexts. */
interface Known {
  readonly content: Content
  readonly sealed: string
  readonly call?: string | undefined
  readonly sealedCall?: string | undefined
}

/**
 * The store, with the content of tasks encrypted: arguments, input requests and responses, steps, messages, progress, results
 * and errors. In clear text stays what stores and operators find tasks by: id, owner, name of the tool, status, times, attempts
 * and lease. Content that has not changed is not encrypted again, as where a lease is renewed; nor is the call,
 * where a handler reports progress.
 */
export function sealedStore(store: TaskStore, sealing: Sealing): TaskStore {
  const known = new WeakMap<DetailedTask, Known>()

  async function seal(record: TaskRecord, previous?: TaskRecord): Promise<TaskRecord> {
    const { task, call, repetition, asked, steps, answers, sealed: _, ...rest } = record
    const before = known.get(task) ?? (previous && known.get(previous.task))
    const content = contentOf(record)
    const sealed =
      before && isSame(before.content, content) ? before.sealed : await sealing.seal(JSON.stringify(content))
    const sealedCall = before?.call === call ? before?.sealedCall : await sealCall(task.taskId, call)
    known.set(task, { content, sealed, call, sealedCall })
    const kept = { ...rest, task: withoutContent(task), answers: {}, sealed }
    return sealedCall === undefined ? kept : { ...kept, call: sealedCall }
  }

  async function open(record: TaskRecord): Promise<TaskRecord> {
    const { sealed, call: sealedCall, ...rest } = record
    // From before `seal` was set.
    if (sealed === undefined) return record
    const { taskId } = record.task
    const content: unknown = JSON.parse(await sealing.open(sealed))
    if (!isContent(content) || content.task.taskId !== taskId) throw notWhatWasSealed()
    const call = sealedCall === undefined ? undefined : await openCall(taskId, sealedCall)
    known.set(content.task, { content, sealed, call, sealedCall })
    return { ...rest, ...content, ...(call !== undefined && { call }) }
  }

  /** With the id of its task, or it could be put into another one. */
  async function sealCall(taskId: string, call: string | undefined): Promise<string | undefined> {
    return call === undefined ? undefined : sealing.seal(JSON.stringify([taskId, call]))
  }

  async function openCall(taskId: string, sealedCall: string): Promise<string> {
    const [of, call]: unknown[] = JSON.parse(await sealing.open(sealedCall))
    if (of !== taskId || typeof call !== 'string') throw notWhatWasSealed()
    return call
  }

  const { isShared, createUnlessFull, countAtWork, lapsed, list, watch } = store
  return {
    ...(isShared !== undefined && { isShared }),
    create: async (record) => store.create(await seal(record)),
    ...(createUnlessFull && {
      createUnlessFull: async (record: TaskRecord, maxAtWork: number) =>
        createUnlessFull.call(store, await seal(record), maxAtWork),
    }),
    async get(taskId) {
      const record = await store.get(taskId)
      return record && open(record)
    },
    transition: async (next, expectedVersion, previous) =>
      store.transition(await seal(next, previous), expectedVersion, previous && (await seal(previous))),
    expire: (now) => store.expire(now),
    remove: (taskId) => store.remove(taskId),
    ...(countAtWork && { countAtWork: countAtWork.bind(store) }),
    ...(lapsed && { lapsed: lapsed.bind(store) }),
    ...(list && { list: list.bind(store) }),
    ...(watch && { watch: watch.bind(store) }),
  }
}

const CONTENT_FIELDS = ['task', 'repetition', 'asked', 'steps', 'answers'] as const

function contentOf({ task, repetition, asked, steps, answers }: TaskRecord): Content {
  return {
    task,
    answers,
    ...(repetition !== undefined && { repetition }),
    ...(asked !== undefined && { asked }),
    ...(steps !== undefined && { steps }),
  }
}

/** Records are never changed in place, so it takes no more than a look at the references. */
function isSame(a: Content, b: Content): boolean {
  return CONTENT_FIELDS.every((field) => a[field] === b[field])
}

/** As a client would see a task that says nothing. */
function withoutContent(task: DetailedTask): DetailedTask {
  const { taskId, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }: Task = task
  const fields = { taskId, createdAt, lastUpdatedAt, ttlMs, ...(pollIntervalMs !== undefined && { pollIntervalMs }) }
  const { status } = task
  if (status === 'completed') return { ...fields, status, result: { content: [] } }
  if (status === 'failed') return { ...fields, status, error: { code: INTERNAL_ERROR, message: 'Sealed.' } }
  return status === 'input_required' ? { ...fields, status, inputRequests: {} } : { ...fields, status }
}

/** What was sealed here is what comes out, unless the key is another or the record was tampered with. */
function isContent(value: unknown): value is Content {
  return isJsonObject(value) && isJsonObject(value['task']) && isJsonObject(value['answers'])
}

function notWhatWasSealed(): TaskStorageError {
  return new TaskStorageError(
    'Failed to open a task: `open` did not return a task that `seal` was given. Pass the `open` that belongs to `seal`.',
  )
}
