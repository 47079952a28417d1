import { describe, expect, it } from 'vitest'
import { parseDetailedTask, parseTask } from './task.js'

const TASK = {
  taskId: 'task-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:01Z',
  ttlMs: null,
}

function parse(members: object) {
  const issues: string[] = []
  const task = parseTask({ ...TASK, ...members }, 'tasks/get', ({ violation }) => issues.push(violation))
  return { progress: task.progress, _meta: task._meta, issues }
}

const meta = (progress: unknown) => ({ _meta: { 'dev.taskwire/progress': progress } })

describe('the progress of a task', () => {
  it.each([
    ['in its _meta', meta({ progress: 3, total: 10, message: 'Asia' }), { progress: 3, total: 10, message: 'Asia' }],
    ['beside its status', { progress: 3, progressTotal: 10 }, { progress: 3, total: 10 }],
    ['without a total', meta({ progress: 0 }), { progress: 0 }],
    ['in both places: _meta counts', { ...meta({ progress: 4 }), progress: 3 }, { progress: 4 }],
    ['with a total that is none', meta({ progress: 4, total: 0 }), { progress: 4 }],
    ['with a message that is no text', meta({ progress: 4, message: {} }), { progress: 4 }],
    ['beyond its total', meta({ progress: 12, total: 10 }), { progress: 12, total: 10 }],
  ])('is read %s', (_, members, progress) => {
    expect(parse(members)).toMatchObject({ progress, issues: [] })
  })

  it.each([
    meta({ progress: -1 }),
    meta({ progress: '3' }),
    meta({ total: 10 }),
    meta('3'),
    meta([3, 10]),
    { progress: JSON.parse('1e999') },
  ])('that is %j is reported and left out', (members) => {
    expect(parse(members)).toEqual({
      progress: undefined,
      _meta: undefined,
      issues: ['the progress is not a number of 0 or more; ignored'],
    })
  })

  it('has a message that fits a screen', () => {
    expect(parse(meta({ progress: 1, message: 'x'.repeat(10_000) })).progress?.message).toHaveLength(4096)
  })

  it('comes through a tab as it is', () => {
    const task = parseDetailedTask({ ...TASK, ...meta({ progress: 3, total: 10 }) }, 'tasks/get')
    expect(parseDetailedTask(JSON.parse(JSON.stringify(task)), 'other')).toEqual(task)
  })
})

describe('the _meta of a task', () => {
  it('is kept but for what the protocol reserves', () => {
    const { _meta, issues } = parse({
      _meta: {
        'example.com/queue': 4,
        'io.modelcontextprotocol/serverInfo': { name: 's' },
        ...meta({ progress: 1 })._meta,
      },
    })
    expect({ _meta, issues }).toEqual({ _meta: { 'example.com/queue': 4 }, issues: [] })
  })

  it.each([[{}], ['text'], [null], [[1]]])('that says nothing (%j) is none', (value) => {
    expect(parse({ _meta: value })).toEqual({ progress: undefined, _meta: undefined, issues: [] })
  })

  it('that is too long is reported and left out', () => {
    const { _meta, issues } = parse({ _meta: { 'example.com/dump': 'x'.repeat(20_000) } })
    expect({ _meta, issues }).toEqual({ _meta: undefined, issues: ['_meta is longer than 16384 characters; ignored'] })
  })
})

it.each([0, -1, '4', undefined])('progress has no total where that is %j', (total) => {
  expect(parse(meta({ progress: 1, total })).progress).toStrictEqual({ progress: 1 })
})
