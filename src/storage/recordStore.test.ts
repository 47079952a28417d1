import { describe, expect, it, vi } from 'vitest'
import { asynchronous } from '../../test/support/asynchronousStorage.js'
import { TaskStorageError } from '../protocol/errors.js'
import { memoryStorage } from './memoryStorage.js'
import { createRecordStore, type RecordStore } from './recordStore.js'
import type { TaskStorage } from './taskStorage.js'
import { encodeToolCallRecord, type RecordedTask, type ToolCallRecord } from './toolCallRecord.js'

const NOW = 100_000
const ENDPOINT = 'https://example.com/mcp'
const TASK_ID = 'task-secret-1'

const TASK: RecordedTask = {
  taskId: TASK_ID,
  status: 'working',
  receivedAt: NOW,
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: 60_000,
  answered: [],
  isCancelling: false,
}

function record(callId: string, changes: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return {
    callId,
    tool: 'report',
    endpoint: ENDPOINT,
    scope: '',
    era: 'modern',
    startedAt: NOW,
    task: TASK,
    ...changes,
  }
}

function open(storage: TaskStorage, options: { endpoint?: string; scope?: string; now?: () => number } = {}) {
  const errors: TaskStorageError[] = []
  const { endpoint = ENDPOINT, scope = '', now = () => NOW } = options
  let pauses = 0
  const pause = () => {
    pauses += 1
    return Promise.resolve()
  }
  const store = createRecordStore({ storage, endpoint, scope, now, pause, onError: (error) => errors.push(error) })
  return { store, errors, pauses: () => pauses }
}

const ids = async (store: RecordStore): Promise<string[]> => (await store.list()).map(({ callId }) => callId)

describe.each([
  ['a storage that answers at once', (storage: TaskStorage) => storage],
  ['a storage that answers with promises', asynchronous],
])('records in %s', (_name, wrap) => {
  it('are read back, listed in the order of their calls, and removed', async () => {
    const { store, errors } = open(wrap(memoryStorage()))
    await store.write(record('b', { startedAt: NOW - 1 }))
    await store.write(record('a'))
    await store.write(record('c', { startedAt: NOW - 2 }))
    expect(await store.read('a')).toEqual(record('a'))
    expect(await ids(store)).toEqual(['c', 'b', 'a'])
    await store.remove('b')
    expect(await store.read('b')).toBeUndefined()
    expect(await ids(store)).toEqual(['c', 'a'])
    expect(errors).toEqual([])
  })

  it('are overwritten by their call, and by no other', async () => {
    const { store } = open(wrap(memoryStorage()))
    await store.write(record('a'))
    await store.write(record('b'))
    await store.write(record('a', { tool: 'other' }))
    expect((await store.list()).map(({ tool }) => tool).sort()).toEqual(['other', 'report'])
  })

  it('are told apart from those that cannot be read, and from those that are past their use', async () => {
    const storage = wrap(memoryStorage())
    const { store } = open(storage)
    await store.write(record('a'))
    expect(await store.find('a')).toEqual(record('a'))
    const [key = ''] = await storage.keys()
    await storage.setItem(key, '{"callId":"a"')
    expect([await store.find('a'), await store.read('a')]).toEqual(['unreadable', undefined])
    await store.remove('a')
    expect(await store.find('a')).toBeUndefined()
    await store.write(record('a', { task: { ...TASK, ttlMs: 1000, receivedAt: NOW - 7 * 24 * 60 * 60 * 1000 } }))
    expect(await store.find('a')).toBeUndefined()
  })

  it('are updated over what another tab has written meanwhile', async () => {
    const storage = memoryStorage()
    const { store } = open(wrap(storage))
    const { store: otherTab } = open(wrap(storage))
    await store.write(record('a'))
    await otherTab.update(record('a', { task: { ...TASK, status: 'completed', answered: ['q1'] } }))
    await store.update(record('a', { task: { ...TASK, answered: ['q2'] } }))
    expect((await store.read('a'))?.task).toMatchObject({ status: 'completed', answered: ['q1', 'q2'] })
  })

  it('are not updated over a call that was made anew, nor where one that is kept is gone', async () => {
    const storage = memoryStorage()
    const { store } = open(wrap(storage))
    expect(await store.update(record('a'), true)).toBe(false)
    expect(await store.has('a')).toBe(false)
    expect(await store.update(record('a'))).toBe(true)
    expect(await store.update(record('a', { task: { ...TASK, taskId: 'task-2' } }))).toBe(true)
    expect((await store.read('a'))?.task?.taskId).toBe(TASK_ID)
  })

  it('[DUR-08] are invisible to other endpoints and other scopes', async () => {
    const storage = wrap(memoryStorage())
    const { store } = open(storage, { scope: 'ann' })
    await store.write(record('a', { scope: 'ann' }))
    const others = [
      open(storage, { scope: 'bob' }).store,
      open(storage).store,
      open(storage, { scope: 'ann', endpoint: 'https://example.com/other' }).store,
      open(storage, { scope: '', endpoint: `${ENDPOINT}ann` }).store,
    ]
    for (const other of others) {
      expect(await other.read('a')).toBeUndefined()
      expect(await other.list()).toEqual([])
      await other.remove('a')
      await other.clear()
    }
    expect(await ids(store)).toEqual(['a'])
  })

  it('are cleared by scope', async () => {
    const storage = wrap(memoryStorage())
    const ann = open(storage, { scope: 'ann' }).store
    const bob = open(storage, { scope: 'bob' }).store
    await ann.write(record('a', { scope: 'ann' }))
    await ann.write(record('b', { scope: 'ann' }))
    await bob.write(record('c', { scope: 'bob' }))
    await ann.clear()
    expect(await ids(ann)).toEqual([])
    expect(await ids(bob)).toEqual(['c'])
    await ann.clear('bob')
    expect(await ids(bob)).toEqual([])
  })

  it('are gone for reads that come after their removal has begun', async () => {
    const storage = wrap(memoryStorage())
    const { store } = open({
      ...storage,
      removeItem: async (key) => {
        await storage.keys()
        await storage.removeItem(key)
      },
    })
    await store.write(record('a'))
    await store.write(record('b'))
    void store.remove('a')
    expect(await Promise.all([store.read('a'), store.has('a')])).toEqual([undefined, false])
    expect(await store.read('b')).toBeDefined()
  })

  it('[DUR-88] may come back where a page is put aside between reading and writing, and another removes them', async () => {
    const storage = memoryStorage()
    let goOn = () => {}
    const slow: TaskStorage = {
      ...asynchronous(storage),
      setItem: (key, value) =>
        new Promise((resolve) => {
          goOn = () => resolve(storage.setItem(key, value))
        }),
    }
    await open(storage).store.write(record('a'))
    const updated = open(slow).store.update(record('a'), true)
    await asynchronous(storage).keys()
    await open(storage).store.remove('a')
    goOn()
    await updated
    expect(await ids(open(storage).store)).toEqual(['a'])
  })

  it('are swept when they are past their use, and no sooner', async () => {
    const storage = memoryStorage()
    let now = NOW
    const { store } = open(wrap(storage), { now: () => now })
    await store.write(record('ended', { task: { ...TASK, status: 'completed' } }))
    await store.write(record('working'))
    now = NOW + 59_999
    expect(await ids(store)).toEqual(['ended', 'working'])
    now = NOW + 60_000
    expect(await store.read('ended')).toBeUndefined()
    expect(await ids(store)).toEqual(['working'])
    expect([...(await storage.keys())]).toHaveLength(1)
  })
})

describe('the key of a record', () => {
  it('[DUR-01] is a contract with the page before an update, and holds no secret', async () => {
    const storage = memoryStorage()
    await open(storage).store.write(record('call-1', { key: 'weekly' }))
    expect([...(await storage.keys())]).toEqual(['taskwire:1:17685810a6771e1b98dee2b2c54d:call-1'])
  })
})

describe('a storage that answers at once', () => {
  it('with thousands of records is read with pauses in between, and to the end', async () => {
    const { store, pauses } = open(memoryStorage())
    for (let index = 0; index < 2000; index += 1) await store.write(record(`call-${index}`))
    expect(await store.list()).toHaveLength(2000)
    expect(pauses()).toBeGreaterThan(10)
  })

  it('is not listed by the write that makes a sweep due, but after it', async () => {
    const storage = memoryStorage()
    let lists = 0
    const { store } = open({
      ...storage,
      keys: () => {
        lists += 1
        return storage.keys()
      },
    })
    const writing = store.write(record('a'))
    expect(lists).toBe(0)
    await writing
    await store.read('a')
    expect(lists).toBe(1)
  })

  it('is not swept by the write that comes after a list', async () => {
    const storage = memoryStorage()
    const keys = vi.fn(storage.keys)
    const { store } = open({ ...storage, keys })
    await store.list()
    await store.write(record('a'))
    await store.read('a')
    expect(keys).toHaveBeenCalledOnce()
  })

  it('is swept once by writes that are made at the same time', async () => {
    const storage = memoryStorage()
    const keys = vi.fn(storage.keys)
    const { store } = open({ ...storage, keys })
    await Promise.all(['a', 'b', 'c'].map((callId) => store.write(record(callId))))
    await store.read('a')
    expect(keys).toHaveBeenCalledOnce()
  })

  it('is swept the less often, the more tasks at work are in it', async () => {
    const storage = memoryStorage()
    let lists = 0
    let now = NOW
    const { store } = open(
      {
        ...storage,
        keys: () => {
          lists += 1
          return storage.keys()
        },
      },
      { now: () => now },
    )
    const sweepsAfter = async (writes: number, passed: number) => {
      lists = 0
      for (let write = 0; write < writes; write += 1) await store.write(record('again'))
      now += passed
      await store.write(record('again'))
      await store.list()
      return lists - 1
    }
    expect(await sweepsAfter(450, 0)).toBe(3)
    expect(await sweepsAfter(0, 60_000)).toBe(1)
    // A clock that was set back says nothing of how long ago the last sweep was.
    expect(await sweepsAfter(0, -60_000)).toBe(1)
    now = NOW
    for (let index = 0; index < 3000; index += 1) await store.write(record(`call-${index}`))
    await store.list()
    expect(await sweepsAfter(450, 0)).toBe(0)
    expect(await sweepsAfter(650, 0)).toBe(1)
    expect(await sweepsAfter(0, 120_000)).toBe(0)
    expect(await sweepsAfter(0, 181_000)).toBe(1)
  })

  it('has nothing any more when clear() returns', async () => {
    const storage = memoryStorage()
    const { store } = open(storage)
    await store.write(record('a'))
    void store.clear()
    expect([...(await storage.keys())]).toEqual([])
  })

  it('[DUR-12] has the record before write() returns', async () => {
    const storage = memoryStorage()
    const { store } = open(storage)
    const writing = store.write(record('a'))
    expect(storage.keys()).toHaveLength(1)
    await writing
  })
})

describe('what else stands in the storage', () => {
  const PREFIX = 'taskwire:1:17685810a6771e1b98dee2b2c54d:'

  it('is left alone', async () => {
    const storage = memoryStorage()
    const foreign = [
      'theme',
      'taskwire',
      'taskwire:',
      'taskwire:2:17685810a6771e1b98dee2b2c54d:a',
      'taskwire:1:ffff:a',
      ` ${PREFIX}a`,
    ]
    for (const key of foreign) storage.setItem(key, 'dark')
    const { store, errors } = open(storage)
    await store.write(record('a'))
    expect(await ids(store)).toEqual(['a'])
    await store.clear()
    expect([...(await storage.keys())]).toEqual(foreign)
    expect(errors).toEqual([])
  })

  it.each([
    ['nonsense', '{'],
    ['empty', ''],
    ['of another version', JSON.stringify({ v: 2, ...record('bad') })],
    ['of another call', JSON.stringify({ v: 1, ...record('another') })],
    ['of another endpoint', JSON.stringify({ v: 1, ...record('bad', { endpoint: 'https://evil.example/mcp' }) })],
    ['of another scope', JSON.stringify({ v: 1, ...record('bad', { scope: 'bob' }) })],
  ])('[DUR-65] under our own keys and %s, is no record and hides none', async (_name, text) => {
    const storage = memoryStorage()
    const { store, errors } = open(storage)
    await store.write(record('good'))
    storage.setItem(`${PREFIX}bad`, text)
    expect(await store.read('bad')).toBeUndefined()
    expect(await ids(store)).toEqual(['good'])
    expect(errors).toEqual([])
  })

  it('may be what is no text: other users of a key-value store keep what they like', async () => {
    const storage = memoryStorage()
    const odd = encodeToolCallRecord(record('odd'))
    const theirs = {
      ...storage,
      getItem: (key: string) => (key === `${PREFIX}odd` ? ([odd] as unknown as string) : storage.getItem(key)),
      keys: () => [7, ['a', 1], `${PREFIX}odd`, ...(storage.keys() as string[])] as string[],
    }
    const { store, errors } = open(theirs)
    await store.write(record('a'))
    expect(await ids(store)).toEqual(['a'])
    await store.clear()
    expect(storage.keys()).toEqual([])
    expect(errors).toEqual([])
  })
})

describe('a storage that fails', () => {
  const failure = new DOMException('The quota has been exceeded.', 'QuotaExceededError')
  const throwing = (): never => {
    throw failure
  }
  const rejecting = () => Promise.reject(failure)
  const storages: Record<string, TaskStorage> = {
    throws: { getItem: throwing, setItem: throwing, removeItem: throwing, keys: throwing },
    rejects: { getItem: rejecting, setItem: rejecting, removeItem: rejecting, keys: rejecting },
  }
  const methods: Record<string, (store: RecordStore) => Promise<unknown>> = {
    write: (store) => store.write(record('a')),
    update: (store) => store.update(record('a')),
    read: (store) => store.read('a'),
    find: (store) => store.find('a'),
    has: (store) => store.has('a'),
    isNewer: (store) => store.isNewer('a'),
    remove: (store) => store.remove('a'),
    list: (store) => store.list(),
    clear: (store) => store.clear(),
  }
  const rows = Object.keys(storages).flatMap((how) => Object.keys(methods).map((method) => [how, method] as const))

  it.each(rows)('%s: %s() does not, and reports it once', async (how, method) => {
    const { store, errors } = open(storages[how] as TaskStorage)
    const result = await methods[method]?.(store)
    const otherwise: Record<string, unknown> = {
      list: [],
      write: false,
      update: false,
      find: 'unreadable',
      has: true,
      isNewer: false,
    }
    expect(result).toEqual(otherwise[method])
    expect(errors).toHaveLength(1)
    expect(errors[0]).toBeInstanceOf(TaskStorageError)
    expect(errors[0]?.cause).toBe(failure)
    expect(errors[0]?.message).toMatch(/^Failed to .*Tasks go on, but a reload may not find them\.$/)
    expect(`${errors[0]?.message}${JSON.stringify(errors[0])}`).not.toContain(TASK_ID)
  })

  /** A storage in which one item cannot be touched. */
  function withStuckItem(): { storage: TaskStorage; stuck: string } {
    const storage = memoryStorage()
    const stuck = `taskwire:1:17685810a6771e1b98dee2b2c54d:b`
    const guard = (key: string): void => {
      if (key === stuck) throw failure
    }
    return {
      stuck,
      storage: {
        ...storage,
        removeItem: (key) => {
          guard(key)
          return storage.removeItem(key)
        },
      },
    }
  }

  it('in one item, hides no other: read', async () => {
    const storage = memoryStorage()
    const { store, errors } = open({
      ...storage,
      getItem: (key) => {
        if (key.endsWith(':b')) throw failure
        return storage.getItem(key)
      },
    })
    for (const callId of ['a', 'b', 'c']) await store.write(record(callId))
    expect(await ids(store)).toEqual(['a', 'c'])
    expect(errors).toHaveLength(1)
  })

  it('in one item, hides no other: swept', async () => {
    const { storage } = withStuckItem()
    const { store } = open(storage)
    await store.write(record('a'))
    await store.write(record('b', { task: { ...TASK, status: 'completed', ttlMs: 0 } }))
    await store.write(record('c'))
    expect(await ids(store)).toEqual(['a', 'c'])
  })

  it('in one item, keeps no other from being cleared at sign-out', async () => {
    const { storage, stuck } = withStuckItem()
    const { store, errors } = open(storage)
    for (const callId of ['a', 'b', 'c']) await store.write(record(callId))
    await store.clear()
    expect([...(await storage.keys())]).toEqual([stuck])
    expect(errors).toHaveLength(1)
  })
})
