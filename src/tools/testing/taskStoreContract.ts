import type { TaskListFilter, TaskPage } from '../../server/tasks/taskList.js'
import type { TaskRecord } from '../../server/tasks/taskRecord.js'
import type { TaskStore } from '../../server/tasks/taskStore.js'
import { EXPIRY_CONTRACT } from './expiryContract.js'
import { type StoreRequirements, same } from './storeRequirements.js'
import { workingRecord } from './workingRecord.js'

/** A test of one requirement for a store. */
export interface TaskStoreTest {
  /** The requirement: a sentence with the store as its subject. */
  readonly name: string
  /** Runs the test with an empty store. Rejects with the problem. */
  run(): Promise<void>
}

/**
 * Returns the contract of a `TaskStore`, as tests for any runner. `createStore` is called once for each test and must
 * return an empty store. Optional methods that a store does not have (`createUnlessFull`, `countAtWork`, `lapsed`, `list`,
 * `watch`) are not tested.
 *
 * @example
 * ```ts
 * describe('MyTaskStore', () => {
 *   for (const { name, run } of taskStoreContract(() => new MyTaskStore(database))) test(name, run)
 * })
 * ```
 */
export function taskStoreContract(createStore: () => TaskStore | Promise<TaskStore>): readonly TaskStoreTest[] {
  return Object.entries(CONTRACT).map(([name, prove]) => ({ name, run: async () => prove(await createStore()) }))
}

/** How long a change may take to be told, in ms. */
const FEED_MS = 30_000

const CONTRACT: StoreRequirements = {
  async 'gives back what was created, as soon as that resolves'(store) {
    const repetition = { requestHash: 'h'.repeat(43), isDirect: true }
    const steps = { pay: { isDone: true } }
    const record = workingRecord('a', { lease: { worker: 'w', until: 5 }, call: 'sealed', steps, repetition })
    await store.create(record)
    same(await store.get('a'), record, 'the record')
  },

  async 'knows nothing of ids it was never given, whatever they look like'(store) {
    for (const id of ['a', '', '__proto__', 'constructor', "'; --", 'x'.repeat(10_000)]) {
      same(await store.get(id), undefined, `the record of ${id.slice(0, 20)}`)
    }
  },

  async 'keeps every text as it is'(store) {
    const owner = 'Ünï ☃ \u{1f600} "quoted" \\ \n line'
    await store.create(workingRecord('a', { owner }))
    same((await store.get('a'))?.owner, owner, 'the owner')
  },

  async 'refuses a second record of the same id and keeps the first'(store) {
    await store.create(workingRecord('a', { owner: 'first' }))
    const second = await store.create(workingRecord('a', { owner: 'second' })).then(
      () => 'resolved',
      () => 'rejected',
    )
    same(second, 'rejected', 'the second creation')
    same((await store.get('a'))?.owner, 'first', 'the owner')
  },

  async 'lets exactly one of many racing creations of an id through, also where an expired record is in the way'(
    store,
  ) {
    const create = (id: string) => (_: unknown, index: number) =>
      store.create(workingRecord(id, { owner: String(index), version: index + 1 })).then(
        () => [String(index)],
        () => [],
      )
    const created = (await Promise.all(Array.from({ length: 20 }, create('a')))).flat()
    same(created.length, 1, 'how many creations went through')
    same((await store.get('a'))?.owner, created[0], 'the owner')
    await store.create(workingRecord('expired', { expiresAt: 99 }))
    const isThere = (await store.get('expired')) !== undefined
    const again = (await Promise.all(Array.from({ length: 20 }, create('expired')))).flat()
    same(again.length, isThere ? 0 : 1, 'how many creations in the place of an expired record went through')
  },

  async 'changes a record that has the expected version'(store) {
    await store.create(workingRecord('a'))
    const next = workingRecord('a', { version: 2, cancelRequested: true })
    same(await store.transition(next, 1), true, 'the change')
    same(await store.get('a'), next, 'the record')
  },

  async 'changes nothing where the version is another or the record is gone'(store) {
    await store.create(workingRecord('a', { version: 3 }))
    same(await store.transition(workingRecord('a', { version: 2 }), 1), false, 'a change of another version')
    same(await store.transition(workingRecord('b', { version: 2 }), 1), false, 'a change of what is not there')
    same((await store.get('a'))?.version, 3, 'the version')
    same(await store.get('b'), undefined, 'what was not there')
  },

  async 'lets exactly one of many racing changes through'(store) {
    await store.create(workingRecord('a'))
    const changes = Array.from({ length: 20 }, () => store.transition(workingRecord('a', { version: 2 }), 1))
    same((await Promise.all(changes)).filter(Boolean).length, 1, 'the changes that went through')
  },

  ...EXPIRY_CONTRACT,

  async 'removes a record, and does nothing if it does not exist'(store) {
    await store.create(workingRecord('a'))
    await store.create(workingRecord('b'))
    await store.remove('a')
    await store.remove('a')
    same(await store.get('a'), undefined, 'what was removed')
    same((await store.get('b'))?.task.taskId, 'b', 'what was not')
    same(await store.transition(workingRecord('a', { version: 2 }), 1), false, 'a change of what was removed')
  },

  async 'counts the tasks of an owner that are not over, if it counts them at all'(store) {
    if (store.countAtWork === undefined) return
    await store.create(workingRecord('a', { owner: 'ann' }))
    await store.create(workingRecord('b', { owner: 'bob' }))
    await store.create(workingRecord('c', { owner: 'ann' }))
    await store.create(workingRecord('d', { owner: 'ann' }))
    await store.create(ended('e', { owner: 'ann' }))
    same(await store.countAtWork('ann'), 3, 'the tasks of ann')
    await store.remove('d')
    await store.remove('d')
    await store.transition(workingRecord('c', { owner: 'ann', version: 2, cancelRequested: true }), 1)
    await store.transition(ended('a', { owner: 'ann', version: 2 }), 1)
    await store.transition(ended('b', { owner: 'bob', version: 9 }), 8)
    same(await store.countAtWork('ann'), 1, 'the tasks of ann that are left')
    same(await store.countAtWork('bob'), 1, 'the tasks of bob')
    same(await store.countAtWork('stranger'), 0, 'the tasks of an owner without tasks')
  },

  async 'lists tasks, the newest first, by owner, tool, status and age, if it lists them at all'(store) {
    if (store.list === undefined) return
    const list = async (filter: TaskListFilter) => {
      const page = await store.list?.(filter)
      return { ids: page?.tasks.map(({ taskId }) => taskId), cursor: page?.cursor }
    }
    for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) {
      const owner = index % 2 === 0 ? 'ann' : 'bob'
      await store.create(createdAt(Math.min(index, 2), workingRecord(id, { owner, tool: index < 3 ? 'slow' : 'fast' })))
    }
    same((await list({})).ids, ['d', 'c', 'b', 'a'], 'all tasks')
    same((await list({ owner: 'ann' })).ids, ['c', 'a'], 'the tasks of ann')
    same((await list({ tool: 'slow', owner: 'bob' })).ids, ['b'], 'the tasks of one tool and of bob')
    same((await list({ createdAfter: 1, createdBefore: 2 })).ids, ['b'], 'the tasks of one moment')
    const first = await list({ limit: 3 })
    same(first.ids, ['d', 'c', 'b'], 'the first page')
    const second = await list({ limit: 3, cursor: first.cursor ?? '' })
    same(second, { ids: ['a'], cursor: undefined }, 'the second page')
    await store.transition(createdAt(0, ended('a', { owner: 'ann', version: 2, tool: 'slow' })), 1)
    const [over] = (await store.list({ status: 'cancelled' })).tasks
    same(
      [over?.taskId, over?.createdAt, over?.attempt, over?.leaseUntil, over?.errorCode],
      ['a', 0, 1, null, null],
      'the summary',
    )
    await store.remove('d')
    same((await list({})).ids, ['c', 'b', 'a'], 'what is left')
  },

  async 'lists each of many tasks once, page by page, also those of one moment'(store) {
    if (store.list === undefined) return
    const ids = Array.from({ length: 450 }, (_, index) => `task-${index}`)
    await Promise.all(ids.map((id) => store.create(workingRecord(id))))
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page: TaskPage = await store.list({ limit: 100, ...(cursor !== undefined && { cursor }) })
      found.push(...page.tasks.map(({ taskId }) => taskId))
      cursor = page.cursor
    } while (cursor !== undefined)
    same(found.length, ids.length, 'how many were listed')
    same(new Set(found).size, ids.length, 'how many different ones were listed')
  },

  async 'finds the tasks whose lease is over, if it finds them at all'(store) {
    if (store.lapsed === undefined) return
    const lease = (until: number) => ({ lease: { worker: 'w', until } })
    await store.create(workingRecord('none'))
    await store.create(workingRecord('past', lease(99)))
    await store.create(workingRecord('now', lease(100)))
    await store.create(workingRecord('renewed', lease(50)))
    await store.create(workingRecord('over', lease(50)))
    await store.create(workingRecord('gone', lease(50)))
    await store.create(workingRecord('later', lease(101)))
    await store.transition(workingRecord('renewed', { version: 2, ...lease(200) }), 1)
    await store.transition(ended('over', { version: 2 }), 1)
    await store.remove('gone')
    same([...(await store.lapsed(100, 10))].sort(), ['now', 'past'], 'the tasks whose lease is over')
    same((await store.lapsed(100, 1)).length, 1, 'how many were found with a limit of one')
  },

  async 'creates as many tasks as an owner may have, and no more where many come at once, if it counts when it creates'(
    store,
  ) {
    if (store.createUnlessFull === undefined) return
    const createUnlessFull = store.createUnlessFull.bind(store)
    await store.create(ended('over', { owner: 'ann' }))
    await store.create(workingRecord('there', { owner: 'ann' }))
    const create = (_: unknown, index: number) => createUnlessFull(workingRecord(`a${index}`, { owner: 'ann' }), 5)
    same(
      (await Promise.all(Array.from({ length: 20 }, create))).filter(Boolean).length,
      4,
      'the tasks that were created',
    )
    same(await createUnlessFull(workingRecord('b', { owner: 'bob' }), 1), true, 'the creation for another owner')
    same(await createUnlessFull(workingRecord('c', { owner: 'bob' }), 1), false, 'the creation for an owner with one')
    const again = await createUnlessFull(workingRecord('b', { owner: 'bob', tool: 'another' }), 9).then(
      () => 'resolved',
      () => 'rejected',
    )
    same(again, 'rejected', 'the second creation of an id')
  },

  async 'changes what differs from the record before, and keeps the rest'(store) {
    const first = workingRecord('a', { call: 'sealed', lease: { worker: 'w', until: 5 } })
    const asked = { q: { method: 'roots/list' as const } }
    const changes = [
      { lease: { worker: 'w', until: 6 } },
      { asked, steps: { pay: { isDone: true, value: 1 } } },
      { lease: { worker: 'w', until: 7 } },
      { answers: { q: { roots: [] } } },
      { call: undefined, asked: undefined, steps: undefined, answers: {} },
    ]
    await store.create(first)
    let previous = first
    for (const [index, change] of changes.entries()) {
      // As the server makes it: what does not change is the same object.
      const next = { ...previous, ...change, version: index + 2 } as TaskRecord
      same(await store.transition(next, index + 1, previous), true, `change ${index}`)
      same(await store.get('a'), JSON.parse(JSON.stringify(next)), `the record after change ${index}`)
      previous = next
    }
  },

  async 'tells of every change, if it tells of any'(store) {
    if (store.watch === undefined) return
    const told = new Set<string>()
    let onChange = () => {}
    const unsubscribe = store.watch((taskId, version) => {
      told.add(`${taskId} ${version}`)
      onChange()
    })
    const until = async (key: string, change: () => Promise<unknown>) => {
      const isTold = new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new TypeError(`The change of ${key} was not reported.`)), FEED_MS)
        onChange = () => {
          // Or changes may have been missed: that is to be told, too.
          if (!told.has(key) && !told.delete(MISSED)) return
          clearTimeout(timer)
          resolve()
        }
      })
      await Promise.all([isTold, change()])
    }
    try {
      await store.create(workingRecord('a'))
      await until('a 2', () => store.transition(workingRecord('a', { version: 2 }), 1))
    } finally {
      unsubscribe()
    }
  },
}

/** The call without arguments. */
const MISSED = 'undefined undefined'

function ended(taskId: string, overrides: Partial<TaskRecord>): TaskRecord {
  const record = workingRecord(taskId, overrides)
  return { ...record, task: { ...record.task, status: 'cancelled' } }
}

/** The same task, created so many ms after 1970 began. */
function createdAt(ms: number, record: TaskRecord): TaskRecord {
  return { ...record, task: { ...record.task, createdAt: new Date(ms).toISOString() } }
}
