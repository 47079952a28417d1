import { describe, expect, it, vi } from 'vitest'
import { legacyOptIn } from './optIn.js'

const SERVED = { tasks: { requests: { tools: { call: {} } } } }
const tool = (taskSupport: string) => ({ name: taskSupport, execution: { taskSupport } })
const TOOLS = [tool('required'), tool('optional'), tool('forbidden'), { name: 'plain' }, 'required', null]

/** Lists of tools that arrive when they are told to. */
function setUp() {
  const lists: { resolve: (tools: readonly unknown[]) => void; reject: (error: unknown) => void }[] = []
  const listTools = () =>
    new Promise<readonly unknown[]>((resolve, reject) => {
      lists.push({ resolve, reject })
    })
  return {
    lists,
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    ...legacyOptIn({ capabilities: SERVED, mode: 'auto', listTools }),
  }
}

describe('legacyOptIn()', () => {
  it.each([
    ['auto', 'required', true],
    ['auto', 'optional', true],
    ['auto', 'forbidden', false],
    ['auto', 'plain', false],
    ['auto', 'unknown', false],
    ['required-only', 'required', true],
    ['required-only', 'optional', false],
  ] as const)('decides in the mode %s for a tool that is %s', async (mode, name, expected) => {
    for (const capabilities of [SERVED, undefined]) {
      const optIn = legacyOptIn({ capabilities, mode, listTools: async () => TOOLS })
      expect(await optIn.wantsTask(name)).toBe(expected)
    }
  })

  it.each([
    ['never', SERVED],
    ['never', undefined],
    ['auto', { tools: {} }],
  ] as const)('asks for no list in the mode %s with the capabilities %j', async (mode, capabilities) => {
    const listTools = vi.fn(async () => TOOLS)
    expect(await legacyOptIn({ capabilities, mode, listTools }).wantsTask('required')).toBe(false)
    expect(listTools).not.toHaveBeenCalled()
  })

  it('asks once, also for calls that are made while the list is under way', async () => {
    const { wantsTask, lists, settle } = setUp()
    const calls = [wantsTask('required'), wantsTask('optional')]
    await settle()
    expect(lists).toHaveLength(1)
    lists[0]?.resolve(TOOLS)
    expect(await Promise.all(calls)).toEqual([true, true])
    expect(await wantsTask('required')).toBe(true)
    expect(lists).toHaveLength(1)
  })

  it('asks again after a list that could not be had', async () => {
    const { wantsTask, lists } = setUp()
    const first = wantsTask('required')
    lists[0]?.reject(new Error('down'))
    await expect(first).rejects.toThrow('down')
    const second = wantsTask('required')
    lists[1]?.resolve(TOOLS)
    expect(await second).toBe(true)
  })

  it('keeps the newer list where an older one cannot be had', async () => {
    const { wantsTask, invalidate, lists } = setUp()
    const first = wantsTask('required')
    invalidate()
    const second = wantsTask('required')
    lists[1]?.resolve(TOOLS)
    expect(await second).toBe(true)
    lists[0]?.reject(new Error('down'))
    await expect(first).rejects.toThrow('down')
    expect(await wantsTask('required')).toBe(true)
    expect(lists).toHaveLength(2)
  })
})
