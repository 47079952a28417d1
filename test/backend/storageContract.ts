import { createTaskClient, type TaskStorage } from 'taskwire'
import { expect, it, vi } from 'vitest'
import { PATIENCE } from '../support/patience.js'
import { createWorkServer } from '../support/workServer.js'

/**
 * What storages of backends have in common. `open` opens the same storage once more, as the next process does; what others have
 * in it stays.
 */
export function testStorage(open: () => TaskStorage): void {
  let ids = 0
  const newGroup = () => `taskwire:1:${`${Date.now()}${++ids}`.padStart(28, '0')}:`
  const keysOf = async (storage: TaskStorage, prefix: string) =>
    [...(await storage.keys(prefix))].filter((key) => key.startsWith(prefix)).sort()

  it('keeps what was set last, also for the next process, until it is removed', async () => {
    const key = `${newGroup()}a`
    const storage = open()
    expect((await storage.getItem(key)) ?? undefined).toBeUndefined()
    await storage.setItem(key, 'first')
    await storage.setItem(key, 'second')
    expect(await storage.getItem(key)).toBe('second')
    expect(await open().getItem(key)).toBe('second')
    await storage.removeItem(key)
    await storage.removeItem(key)
    expect((await open().getItem(key)) ?? undefined).toBeUndefined()
    expect(await keysOf(storage, key)).toEqual([])
  })

  it('lists the keys that begin with a prefix, each once', async () => {
    const [ours, theirs] = [newGroup(), newGroup()]
    const storage = open()
    expect(await keysOf(storage, ours)).toEqual([])
    await storage.setItem(`${ours}b`, '1')
    await storage.setItem(`${ours}a`, '2')
    await storage.setItem(`${ours}a`, '3')
    await storage.setItem(`${theirs}a`, '4')
    expect(await keysOf(storage, ours)).toEqual([`${ours}a`, `${ours}b`])
    expect(await keysOf(storage, ours.slice(0, -1))).toEqual([`${ours}a`, `${ours}b`])
    expect(await keysOf(storage, '')).toEqual(expect.arrayContaining([`${ours}a`, `${theirs}a`]))
    await storage.removeItem(`${ours}a`)
    expect(await keysOf(open(), ours)).toEqual([`${ours}b`])
    expect(await storage.getItem(`${theirs}a`)).toBe('4')
  })

  it('takes any text as a key and as a value', async () => {
    const group = newGroup()
    const storage = open()
    const keys = [
      '',
      '.',
      '..',
      'A',
      'a',
      '%',
      '%41',
      'a/b',
      '../../x',
      'a\\b',
      'ä€😀',
      "it's 50% *",
      'a.draft',
      '__proto__',
    ]
    for (const key of keys) await storage.setItem(group + key, `value of ${key}`)
    for (const key of keys) expect(await storage.getItem(group + key)).toBe(`value of ${key}`)
    expect(await keysOf(storage, group)).toEqual(keys.map((key) => group + key).sort())
    for (const value of ['', '{"a":"😀\\u0000\\n"}', 'x'.repeat(300_000)]) {
      await storage.setItem(`${group}v`, value)
      expect(await storage.getItem(`${group}v`)).toBe(value)
    }
  })

  it('has one of the values that are written at the same time, and never parts of them', async () => {
    const key = `${newGroup()}a`
    const values = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(50_000 + index))
    const storages = [open(), open()]
    const reading = Promise.all(values.map(async () => (await storages[0]?.getItem(key)) ?? values[0]))
    await Promise.all(values.map((value, index) => storages[index % 2]?.setItem(key, value)))
    for (const value of [...(await reading), await open().getItem(key)]) expect(values).toContain(value)
  })

  it('has what the next process needs to resume a task', async () => {
    const server = createWorkServer()
    const scope = newGroup()
    const onError = vi.fn()
    const openClient = () => {
      const { environment } = server.browser.openPage()
      return createTaskClient({ url: server.url, scope, storage: open(), onError, environment })
    }
    /** The storage answers in real time, everything else in that of the test. */
    const until = (isTrue: () => boolean) =>
      vi.waitFor(async () => {
        await server.advance(10)
        expect(isTrue()).toBe(true)
      }, PATIENCE)
    const first = openClient()
    const { callId } = first.startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key: 'k' })
    await until(() => first.getToolCallState(callId)?.phase === 'working')
    await Promise.all([first.close(), server.advance(0)])
    await server.advance(3000)
    const second = openClient()
    const resumed = second.resumeToolCalls()
    await until(() => second.getToolCallState(callId)?.phase === 'completed')
    const [call] = await resumed
    expect(await call?.result).toMatchObject({ structuredContent: { seconds: 2 } })
    expect(server.count('tools/call')).toBe(1)
    await second.forget()
    await second.close()
    expect((await keysOf(open(), '')).filter((key) => key.endsWith(callId))).toEqual([])
    expect(onError).not.toHaveBeenCalled()
  })
}

/** What storages have in common that several processes share. */
export function testSharedStorage(open: () => Required<TaskStorage>): void {
  let ids = 0
  const newKey = () => `taskwire:1:${`${Date.now()}${++ids}`.padStart(28, '1')}:a`

  it('replaces an item, and removes it, only while it is what was read', async () => {
    const key = newKey()
    const [storage, other] = [open(), open()]
    expect(await storage.replaceItem(key, 'a', 'b')).toBe(false)
    expect(await storage.replaceItem(key, undefined, 'a')).toBe(true)
    expect(await other.replaceItem(key, undefined, 'b')).toBe(false)
    expect(await other.replaceItem(key, 'a', 'b')).toBe(true)
    expect(await storage.replaceItem(key, 'a', undefined)).toBe(false)
    expect(await storage.getItem(key)).toBe('b')
    expect(await storage.replaceItem(key, 'b', undefined)).toBe(true)
    expect((await other.getItem(key)) ?? undefined).toBeUndefined()
    expect([...(await other.keys(key))]).not.toContain(key)
  })

  it('says of a replacement that is repeated that it was done', async () => {
    const key = newKey()
    const storage = open()
    const steps = [
      [undefined, ''],
      ['', '+x'],
      ['+x', undefined],
    ] as const
    for (const [before, after] of steps)
      for (let times = 0; times < 2; times++) expect(await storage.replaceItem(key, before, after)).toBe(true)
  })

  it('lets one of those replace an item that have all read the same', async () => {
    const key = newKey()
    for (const before of [undefined, 'before']) {
      if (before !== undefined) await open().setItem(key, before)
      const replaced = await Promise.all(
        Array.from({ length: 8 }, (_, index) => open().replaceItem(key, before, `${before} ${index}`)),
      )
      expect(replaced.filter((isReplaced) => isReplaced)).toHaveLength(1)
      expect(await open().getItem(key)).toBe(`${before} ${replaced.indexOf(true)}`)
    }
  })
}
