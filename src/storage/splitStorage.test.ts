import { expect, it } from 'vitest'
import { INTENT, recorded } from '../../test/support/stubbedCall.js'
import { encodeTaskAddress } from '../protocol/taskAddress.js'
import type { PageStorage } from './pageStorage.js'
import { splitStorage } from './splitStorage.js'
import { decodeToolCallRecord, encodeToolCallRecord } from './toolCallRecord.js'

const plain = encodeToolCallRecord(recorded())
const withSession = (changes: Parameters<typeof recorded>[0] = {}) => {
  const taskId = encodeTaskAddress({ taskId: 't1', sessionId: 's1' })
  return encodeToolCallRecord({ ...recorded({ ...changes, taskId }), era: 'legacy' })
}

function mapStorage(items: Map<string, string>): PageStorage {
  return {
    getItem: (key) => items.get(key),
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    keys: () => [...items.keys()],
  }
}

/** Two tabs: what stands in `shared` is there for both, and each has its own. */
function openTabs() {
  const shared = new Map<string, string>()
  const [own, ownOfOther] = [new Map<string, string>(), new Map<string, string>()]
  const tab = splitStorage(mapStorage(shared), mapStorage(own))
  const other = splitStorage(mapStorage(shared), mapStorage(ownOfOther))
  return { shared, own, tab, other }
}

it('keeps a record that names no session where every tab reads it, and nowhere else', () => {
  const { shared, own, tab, other } = openTabs()
  tab.setItem('a', plain)
  expect([...shared]).toEqual([['a', plain]])
  expect(own.size).toBe(0)
  expect(other.getItem('a')).toBe(plain)
  tab.removeItem('a')
  expect(shared.size).toBe(0)
})

it.each(['working', 'completed'] as const)(
  'keeps a record that names a session in the tab, and lets the others know that there is a %s task',
  (status) => {
    const { shared, own, tab, other } = openTabs()
    const record = withSession({ status })
    tab.setItem('a', record)
    expect(tab.getItem('a')).toBe(record)
    expect([...own]).toEqual([['held:a', record]])
    const held = status === 'working' ? 'working' : 'ended'
    expect(decodeToolCallRecord(`${other.getItem('a')}`)).toEqual({ ...INTENT, era: 'legacy', held })
    expect([...shared.values()].join()).not.toContain('s1')
  },
)

it('a record that names a session is gone once another tab has removed it', () => {
  const { own, tab, other } = openTabs()
  tab.setItem('a', withSession())
  other.removeItem('a')
  expect(tab.getItem('a')).toBeUndefined()
  own.set('of the app', 'x')
  expect([...(tab.keys() as Iterable<string>)]).toEqual([])
  expect([...own.keys()]).toEqual(['of the app'])
})

it('keys are those that every tab sees, and keep what belongs to them', () => {
  const { own, tab } = openTabs()
  tab.setItem('a', withSession())
  tab.setItem('b', plain)
  expect([...(tab.keys() as Iterable<string>)]).toEqual(['a', 'b'])
  expect([...own.keys()]).toEqual(['held:a'])
})

it('removes what a tab has held, here and for the others', () => {
  const { shared, own, tab } = openTabs()
  tab.setItem('a', withSession())
  tab.removeItem('a')
  expect([shared.size, own.size]).toEqual([0, 0])
})

it('holds no old record back where the call was made anew without a session', () => {
  const { own, tab } = openTabs()
  tab.setItem('a', withSession())
  tab.setItem('a', plain)
  expect(own.size).toBe(0)
  expect(tab.getItem('a')).toBe(plain)
})

it('what another tab has written since counts for more than what this one has held', () => {
  const { tab, other } = openTabs()
  tab.setItem('a', withSession())
  other.setItem('a', plain)
  expect(tab.getItem('a')).toBe(plain)
})
