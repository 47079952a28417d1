import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../../../../test/support/untilCollected.js'
import { createTaskNames } from './taskNames.js'

const ID = 'task-8chars'
const create = () => createTaskNames((text) => `#${text.length}-${text.toUpperCase()}`)
const size = (text: string) => text.length

/** Names that have learnt these ids. */
function knowing(...ids: string[]) {
  const names = create()
  for (const id of ids) names.learn(id)
  return names
}

describe('the names of tasks, in a text', () => {
  it.each<[what: string, known: string[], text: string, redacted: string]>([
    ['an id, wherever it stands', [ID], `/${ID}?of=${ID}`, '/#11-TAS?of=#11-TAS'],
    ['an id of eight characters', ['12345678'], 'is 12345678', 'is #8-1234'],
    ['no id that is shorter', ['1234567'], 'is 1234567', 'is 1234567'],
    ['no id that is unknown', [], `is ${ID}`, `is ${ID}`],
    ['an id as JSON has it', ['say "what"'], JSON.stringify('say "what"'), '"#10-SAY"'],
    ['the id within a session', [`session:abc ${ID}`], `${ID} of session:abc ${ID}`, '#23-SES of #23-SES'],
    ['what looks like a session later on', [`my session:abc ${ID}`], `my ${ID}`, `my ${ID}`],
    ['a session without an id', [`session: ${ID}`], `is ${ID}`, `is ${ID}`],
  ])('replace %s', (_, known, text, redacted) => {
    expect(knowing(...known).redact(text)).toBe(redacted)
  })

  it('forget the oldest of more than 500, and keep one that is learnt again', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `task-number-${index}.`)
    const names = knowing(...ids)
    expect(names.redact('task-number-0.')).toBe('#14-TAS')
    names.learn('task-number-0.')
    names.learn('task-number-500.')
    expect(names.redact('task-number-0. task-number-1. task-number-2. task-number-500.')).toBe(
      '#14-TAS task-number-1. #14-TAS #16-TAS',
    )
  })

  it('keep the oldest of 500 where a message names it again', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `task-number-${index}.`)
    const names = knowing(...ids)
    names.describe('{"jsonrpc":"2.0","params":{"taskId":"task-number-0."}}')
    names.learn('task-number-500.')
    expect(names.redact('task-number-0. task-number-1.')).toBe('#14-TAS task-number-1.')
  })
})

describe('what is described of a message', () => {
  const jsonrpc = '2.0'
  const said = (message: object) => JSON.stringify({ jsonrpc, ...message })

  it.each<[what: string, message: object, described: object]>([
    ['a request', { id: 0, method: 'ping' }, { id: 0, method: 'ping' }],
    ['an id that is a text', { id: '', method: 'ping' }, { id: '', method: 'ping' }],
    ['a response', { id: 7, result: {} }, { id: 7 }],
    ['an id and a method of other kinds', { id: null, method: 5 }, {}],
  ])('holds %s', (_, message, described) => {
    const text = said(message)
    expect(create().describe(text)).toStrictEqual({ ...described, body: text, size: size(text), isMessage: true })
  })

  it.each<[what: string, params: object, shown: object, task?: string]>([
    ['a taskId', { taskId: ID }, { taskId: '#11-TAS' }, '#11-TAS'],
    ['a taskId that is short', { taskId: 't1' }, { taskId: '#2-T1' }, '#2-T1'],
    ['a taskId that is no text', { taskId: 5 }, { taskId: 5 }],
    [
      'taskIds, of which the first names the message',
      { taskIds: [ID, 't1'] },
      { taskIds: ['#11-TAS', '#2-T1'] },
      '#11-TAS',
    ],
    ['taskIds that are no list', { taskIds: 't1' }, { taskIds: 't1' }],
    ['other lists', { names: ['t1'] }, { names: ['t1'] }],
    ['an id that stands elsewhere, too', { taskId: ID, text: ID }, { taskId: '#11-TAS', text: '#11-TAS' }, '#11-TAS'],
  ])('has names for %s', (_, params, shown, task) => {
    const text = said({ params })
    expect(create().describe(text)).toStrictEqual({
      ...(task && { task }),
      body: said({ params: shown }),
      size: size(text),
      isMessage: true,
    })
  })

  it('has the name of the session that a known id belongs to', () => {
    const names = knowing(`session:abc ${ID}`)
    expect(names.describe(said({ params: { taskId: ID } })).task).toBe('#23-SES')
    expect(names.redact(ID)).toBe('#23-SES')
  })

  it('learns the ids that it names', () => {
    const names = create()
    names.describe(said({ params: { taskId: ID } }))
    expect(names.redact(ID)).toBe('#11-TAS')
  })

  it('holds 10,000 characters of the body, and the bytes of all', () => {
    const text = said({ result: 'ä'.repeat(20_000) })
    const { body, size } = create().describe(text)
    expect(body).toBe(text.slice(0, 10_000))
    expect(size).toBe(text.length + 20_000)
  })

  it.each(['', 'null', '5', '"jsonrpc"', '{"access_token":"secret"}', '<html>', `{"taskId":"${ID}"`])(
    'is the size alone where it is none: %s',
    (text) => {
      expect(create().describe(text)).toStrictEqual({ size: size(text), isMessage: false })
    },
  )
})

describe('what is described of the response to a message', () => {
  it.each<[text: string, body: object]>([
    [`<html>${ID}</html>`, { body: '<html>#11-TAS</html>' }],
    ['x'.repeat(10_001), { body: 'x'.repeat(10_000) }],
    ['', {}],
  ])('holds any text without known ids (%#)', (text, body) => {
    expect(knowing(ID).describeAny(text)).toStrictEqual({ ...body, size: size(text), isMessage: false })
  })

  it('keeps the beginning of a large one, and not the rest', () => {
    const heap = () => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = heap()
    const names = create()
    const kept = Array.from({ length: 20 }, (_, id) => {
      const [response, page] = [
        JSON.stringify({ jsonrpc: '2.0', id, result: 'x'.repeat(2_000_000) }),
        'y'.repeat(2_000_000),
      ]
      return [names.describeAny(response), names.describeAny(`${page}${id}`)]
    })
    expect(heap() - before).toBeLessThan(20_000_000)
    expect(kept.flat().map(({ body }) => body?.length)).toEqual(Array(40).fill(10_000))
  })

  it('is that of a message where it is one', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"taskId":"t1"}}'
    expect(create().describeAny(text)).toStrictEqual({
      id: 1,
      task: '#2-T1',
      body: '{"jsonrpc":"2.0","id":1,"result":{"taskId":"#2-T1"}}',
      size: size(text),
      isMessage: true,
    })
  })
})
