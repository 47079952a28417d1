import { describe, expect, it, vi } from 'vitest'
import { callThatAsks, formRequest, urlRequest } from '../../../test/support/askingCall.js'
import type { JsonObject } from '../../core/protocol/json.js'
import { createElicitationForm } from './createElicitationForm.js'
import type { ElicitationFormOptions } from './elicitationForm.js'

function open(properties: JsonObject, required: unknown = [], options: ElicitationFormOptions = {}) {
  const call = callThatAsks(formRequest({ type: 'object', properties, required }))
  const form = createElicitationForm(call.source, options)
  const field = (name: string) => form.getState().fields.find((one) => one.name === name)
  return { ...call, form, field, errors: () => form.getState().fields.map(({ error }) => error) }
}

const DEPLOY = {
  reason: { type: 'string', title: 'Reason', description: 'Goes into the log.', minLength: 3 },
  replicas: { type: 'integer', minimum: 1, maximum: 12, default: 3 },
  dry: { type: 'boolean', default: true },
  channel: { type: 'string', enum: ['a', 'b'], enumNames: ['Alpha'], default: 'b' },
  regions: { type: 'array', items: { anyOf: [{ const: 'eu', title: 'Europe' }, { const: 'as' }] }, minItems: 1 },
}

describe('the fields of a form', () => {
  it('are those of the schema, with its titles, limits, options and defaults', () => {
    const { form } = open(DEPLOY, ['reason', 'regions'], { id: 'f' })
    expect(form.getState()).toMatchObject({ kind: 'form', message: 'Deploy it?', status: 'open', canSubmit: true })
    expect(form.getState().fields).toMatchObject([
      { kind: 'text', label: 'Reason', description: 'Goes into the log.', isRequired: true, value: '', minLength: 3 },
      { kind: 'number', label: 'replicas', isRequired: false, value: '3', isInteger: true, minimum: 1, maximum: 12 },
      { kind: 'boolean', value: true },
      {
        kind: 'choice',
        value: 'b',
        options: [
          { value: 'a', label: 'Alpha', isChosen: false, id: 'f-3' },
          { value: 'b', label: 'b', isChosen: true, id: 'f-3-1' },
        ],
      },
      {
        kind: 'choices',
        value: [],
        minItems: 1,
        options: [
          { value: 'eu', label: 'Europe', isChosen: false },
          { value: 'as', label: 'as', isChosen: false },
        ],
      },
    ])
  })

  it.each([
    [{ type: 'string' }, { type: 'text' }],
    [
      { type: 'string', format: 'email' },
      { type: 'email', autocomplete: 'email' },
    ],
    [
      { type: 'string', format: 'uri' },
      { type: 'url', autocomplete: 'url' },
    ],
    [{ type: 'string', format: 'date' }, { type: 'date' }],
    [{ type: 'string', format: 'date-time' }, { type: 'datetime-local' }],
    [{ type: 'string', format: 'hostname' }, { type: 'text' }],
    [
      { type: 'integer', minimum: 0 },
      { type: 'text', inputmode: 'numeric' },
    ],
    [
      { type: 'number', minimum: 0 },
      { type: 'text', inputmode: 'decimal' },
    ],
    // A keypad for numbers has no minus.
    [{ type: 'integer' }, { type: 'text' }],
    [{ type: 'boolean' }, { type: 'checkbox' }],
    [{ type: 'string', enum: ['a'] }, {}],
  ])('of a schema %j have the attributes %j', (schema, attributes) => {
    const { name, required, ...rest } = open({ a: schema }, [], { id: 'f' }).field('a')?.attributes ?? {}
    expect({ name, required }).toEqual({ name: 'f-0', required: false })
    expect(JSON.parse(JSON.stringify(rest))).toEqual(attributes)
  })

  it('name what describes them: the description, and the error where there is one', async () => {
    const { form, field } = open(DEPLOY, ['reason'], { id: 'f' })
    expect(field('reason')).toMatchObject({ id: 'f-0', hintId: 'f-0-hint', errorId: 'f-0-error' })
    expect(field('reason')?.attributes).toMatchObject({ 'aria-describedby': 'f-0-hint', 'aria-invalid': undefined })
    await form.submit()
    expect(field('reason')?.attributes).toMatchObject({
      'aria-describedby': 'f-0-hint f-0-error',
      'aria-invalid': 'true',
    })
  })

  it('keep their identity until they change, whatever happens to others', () => {
    const { form, field } = open(DEPLOY)
    const before = form.getState()
    const [reason, replicas] = before.fields
    form.set('replicas', '4')
    expect(field('reason')).toBe(reason)
    expect(field('replicas')).not.toBe(replicas)
    const after = form.getState()
    form.set('replicas', '4')
    expect(form.getState()).toBe(after)
  })
})

describe('what the user fills in', () => {
  it('is kept as it was typed, and sent in the types of the schema', async () => {
    const { form, field, sent } = open({
      ...DEPLOY,
      when: { type: 'string', format: 'date-time' },
      share: { type: 'number' },
      mail: { type: 'string', format: 'email' },
      note: { type: 'string' },
    })
    form.set('reason', ' Fixes it ')
    form.set('replicas', ' 07 ')
    form.set('dry', false)
    form.set('channel', 'a')
    form.toggle('regions', 'as')
    form.toggle('regions', 'eu')
    form.set('when', '2026-07-28T09:30')
    form.set('share', '-.5e1')
    form.set('mail', ' ann@example.com ')
    expect(field('replicas')).toMatchObject({ value: ' 07 ' })
    expect(field('regions')).toMatchObject({ value: ['eu', 'as'] })
    expect(await form.submit()).toBeUndefined()
    expect(sent()).toEqual([
      {
        action: 'accept',
        content: {
          reason: ' Fixes it ',
          replicas: 7,
          dry: false,
          channel: 'a',
          regions: ['eu', 'as'],
          when: new Date('2026-07-28T09:30').toISOString(),
          share: -5,
          mail: 'ann@example.com',
        },
      },
    ])
    expect(form.getState()).toMatchObject({ status: 'accepted', isEditable: false, statusText: 'Sent.' })
  })

  it('is left out where it is empty and need not be filled in', async () => {
    const { form, sent } = open({
      text: { type: 'string', default: 'a' },
      number: { type: 'number' },
      choice: { type: 'string', enum: ['a'] },
      some: { type: 'array', items: { enum: ['a'] }, minItems: 1 },
      any: { type: 'array', items: { enum: ['a'] }, default: ['a'] },
    })
    form.set('text', '')
    form.toggle('any', 'a')
    await form.submit()
    expect(sent()).toEqual([{ action: 'accept', content: { any: [] } }])
  })

  it.each([
    ...['7a', '0x10', 'Infinity', '1,5', '12345678901234567890', '1e999'],
    ...['9007199254740993', '9007199254740993.0', '9007199254740993.5', '-9007199254740993e0', '9.007199254740993e15'],
    ...['90071992547409930e-1', '1.00000000000000000001', '1e-999'],
  ])('is no number if it is %j, and what was typed stays', async (typed) => {
    const { form, field, sent } = open({ a: { type: 'integer' } })
    form.set('a', typed)
    await form.submit()
    expect(field('a')).toMatchObject({ value: typed, error: 'Enter a whole number.' })
    expect(sent()).toEqual([])
  })

  it.each([
    ['9007199254740991.0', 9007199254740991],
    ['0090071992547409910e-1', 9007199254740991],
    ['-1200e-2', -12],
    ['1e20', 1e20],
    ['-0.0', -0],
    ['000', 0],
  ])('is a whole number if it is %j', async (typed, number) => {
    const { form, sent } = open({ a: { type: 'integer' } })
    form.set('a', typed)
    await form.submit()
    expect(sent()).toEqual([{ action: 'accept', content: { a: number } }])
  })

  it('is read at once, however many digits there are', async () => {
    const { form, field } = open({ a: { type: 'integer' } })
    form.set('a', `1.${'0'.repeat(1_000_000)}1`)
    await form.submit()
    expect(field('a')).toMatchObject({ error: 'Enter a whole number.' })
  })

  it('is an empty option only where somebody has chosen it, the server or the user', async () => {
    const channel = { type: 'string', enum: ['', 'a'] }
    const { form, field, sent } = open({ a: channel, b: channel, c: { ...channel, default: '' } }, ['a', 'c'])
    await form.submit()
    expect(field('a')).toMatchObject({ error: 'This field is required.' })
    expect(sent()).toEqual([])
    const option = (isChosen: boolean) => ({ options: [{ value: '', isChosen }, { value: 'a' }] })
    expect(['a', 'b', 'c'].map(field)).toMatchObject([option(false), option(false), option(true)])
    form.set('b', '')
    form.set('a', '')
    expect(['a', 'b', 'c'].map(field)).toMatchObject([option(true), option(true), option(true)])
    form.set('b', 'none')
    await form.submit()
    expect(sent()).toEqual([{ action: 'accept', content: { a: '', c: '' } }])
  })

  it.each([
    ['1,5', 1.5],
    ['-0,125', -0.125],
    [',5', 0.5],
    ['52,52437', 52.52437],
  ])('is a number if it is %j: the keypads of phones have no point in many languages', async (typed, number) => {
    const { form, sent } = open({ a: { type: 'number' } })
    form.set('a', typed)
    await form.submit()
    expect(sent()).toEqual([{ action: 'accept', content: { a: number } }])
  })

  it.each([
    ['１２', 12],
    ['－３．５', -3.5],
    ['۱۲', 12],
    ['٣٫٥', 3.5],
    ['१२.५', 12.5],
    ['𝟏𝟚', 12],
    ['−3', -3],
  ])('is a number if it is %j, as the keyboards of many languages type it', async (typed, number) => {
    const { form, field, sent } = open({ a: { type: 'number' } })
    form.set('a', typed)
    await form.submit()
    expect(field('a')).toMatchObject({ value: typed })
    expect(sent()).toEqual([{ action: 'accept', content: { a: number } }])
  })

  it.each(['1,500', '1,0000', '1,500,000', '1.000,5', '1,5e3', '10²', '١٬٥٠٠'])(
    'is no number if it is %j: it may be another one',
    async (typed) => {
      const { form, field, sent } = open({ a: { type: 'number' } })
      form.set('a', typed)
      await form.submit()
      expect(field('a')).toMatchObject({ value: typed, error: 'Enter a number.' })
      expect(sent()).toEqual([])
    },
  )

  it('is nothing that a control cannot say: other types, options that are not offered, fields that there are not', () => {
    const { form, field } = open(DEPLOY)
    form.set('reason', true)
    form.set('channel', 'c')
    form.set('regions', ['as', 'us', 'eu'])
    form.set('dry', 'false')
    form.set('toString', 'a')
    form.toggle('reason', 'a')
    form.toggle('toString', 'a')
    expect(form.getState().fields.map(({ value }) => value)).toEqual(['', '3', false, '', ['eu', 'as']])
    expect(field('toString')).toBeUndefined()
  })

  it('of a date and a time is shown in the zone of the user, and a default goes back as the server wrote it', async () => {
    const { form, field, sent } = open({
      a: { type: 'string', format: 'date-time', default: '2026-07-28T09:30:00+05:45' },
      b: { type: 'string', format: 'date-time', default: '2026-07-28T09:30:05Z' },
      c: { type: 'string', format: 'date-time', default: 'soon' },
      d: { type: 'string', format: 'date-time', default: '2026-07-28 09:30:05+00:00' },
    })
    expect(new Date(String(field('a')?.value)).toISOString()).toBe('2026-07-28T03:45:00.000Z')
    expect(field('a')?.value).toMatch(/^2026-07-2[78]T\d\d:\d\d$/)
    expect(field('b')?.value).toMatch(/:05$/)
    expect(field('d')?.value).toBe(field('b')?.value)
    form.set('c', '')
    await form.submit()
    const [a, b, d] = ['2026-07-28T09:30:00+05:45', '2026-07-28T09:30:05Z', '2026-07-28 09:30:05+00:00']
    expect(sent()).toMatchObject([{ content: { a, b, d } }])
  })

  it('of a date and a time is sent with the zone of the user where the default has none, as Python writes it', async () => {
    const { form, field, sent } = open({
      a: { type: 'string', format: 'date-time', default: '2026-07-28T09:30:00' },
      b: { type: 'string', format: 'date-time', default: '2026-07-28T09:30:00.250123' },
    })
    expect([field('a')?.value, field('b')?.value]).toEqual(['2026-07-28T09:30:00', '2026-07-28T09:30:00.250'])
    expect(await form.submit()).toBeUndefined()
    expect(sent()).toEqual([
      {
        action: 'accept',
        content: {
          a: new Date('2026-07-28T09:30:00').toISOString(),
          b: new Date('2026-07-28T09:30:00.250').toISOString(),
        },
      },
    ])
  })

  it.each(['2026-02-30T10:00', '2026-04-31T10:00'])(
    'of a day that there is not is not sent as another day: %s',
    async (value) => {
      const { form, sent } = open({ at: { type: 'string', format: 'date-time', default: value } })
      expect(await form.submit()).toMatchObject({ name: 'at' })
      expect(sent()).toEqual([])
    },
  )
})

describe('what is wrong with a form', () => {
  it('is said beside each field once the user submits it, with the first of them to be focused', async () => {
    const { form, errors, sent } = open(DEPLOY, ['reason', 'regions'])
    expect(errors()).toEqual([undefined, undefined, undefined, undefined, undefined])
    form.set('replicas', '13')
    const wrong = await form.submit()
    expect(wrong?.name).toBe('reason')
    expect(errors()).toEqual([
      'This field is required.',
      'Enter 12 or less.',
      undefined,
      undefined,
      'Choose at least 1.',
    ])
    expect(form.getState()).toMatchObject({
      status: 'open',
      problem: 'Nothing has been sent. Check the marked fields.',
    })
    form.set('reason', 'Fixes it')
    form.set('replicas', '12')
    form.toggle('regions', 'eu')
    expect(errors()).toEqual([undefined, undefined, undefined, undefined, undefined])
    expect(form.getState().problem).toBe('')
    expect(sent()).toEqual([])
  })

  it('is said in the words of the app', async () => {
    const words = {
      required: 'Bitte ausfüllen.',
      minLength: (limit: number) => `Mindestens ${limit} Zeichen.`,
      marked: 'Noch nicht gesendet.',
      sending: 'Wird gesendet …',
      rejected: (error: Error) => `Abgelehnt: ${error.message}`,
    }
    const { form, errors, respond } = open({ a: { type: 'string', minLength: 2 }, b: { type: 'string' } }, ['a', 'b'], {
      words,
    })
    form.set('a', 'x')
    await form.submit()
    expect(errors()).toEqual(['Mindestens 2 Zeichen.', 'Bitte ausfüllen.'])
    expect(form.getState().problem).toBe('Noch nicht gesendet.')
    form.set('a', 'xy')
    form.set('b', 'y')
    respond.mockRejectedValueOnce(new Error('No'))
    const submitted = form.submit()
    expect(form.getState().statusText).toBe('Wird gesendet …')
    await submitted
    expect(form.getState().problem).toBe('Abgelehnt: No')
  })

  it('is why declining failed, also where fields are marked, until the user submits again', async () => {
    const { form, errors, respond } = open({ a: { type: 'string' } }, ['a'])
    const problems: string[] = []
    form.subscribe(({ problem }) => problems.push(problem))
    await form.submit()
    respond.mockRejectedValue(new Error('No network'))
    await form.decline()
    expect(errors()).toEqual(['This field is required.'])
    await form.submit()
    await form.decline()
    form.set('a', 'x')
    const marked = 'Nothing has been sent. Check the marked fields.'
    expect(problems).toEqual([marked, '', 'No network', marked, '', 'No network', 'No network'])
  })

  it('is said in English where the app has no word', async () => {
    const { form, errors } = open({ a: { type: 'string' } }, ['a'], {
      words: { marked: undefined, required: undefined },
    })
    await form.submit()
    expect(form.getState().problem).toBe('Nothing has been sent. Check the marked fields.')
    expect(errors()).toEqual(['This field is required.'])
  })

  it('is what whoever refused the answer says of a field, until that field is changed', async () => {
    const { form, errors, respond } = open({ a: { type: 'string' }, b: { type: 'string' } })
    const issues = [{ path: 'b', message: 'Taken.' }, { path: '__proto__', message: 'No such field.' }, null, 7]
    respond.mockRejectedValueOnce(Object.assign(new Error('Does not fit'), { issues }))
    form.set('b', 'x')
    expect((await form.submit())?.name).toBe('b')
    expect(errors()).toEqual([undefined, 'Taken.'])
    expect(form.getState()).toMatchObject({ status: 'rejected', isEditable: true })
    form.set('a', 'x')
    expect(errors()).toEqual([undefined, 'Taken.'])
    form.set('b', 'y')
    expect(errors()).toEqual([undefined, undefined])
    await form.submit()
    expect(form.getState().status).toBe('accepted')
  })

  it('is said of the form where it belongs to no field', async () => {
    const { form, respond } = open({ a: { type: 'string' } })
    respond.mockRejectedValueOnce(new Error('The reason is on the black list'))
    form.set('a', 'x')
    expect(await form.submit()).toBeUndefined()
    expect(form.getState()).toMatchObject({ status: 'rejected', problem: 'The reason is on the black list' })
    expect(form.getState().fields[0]).toMatchObject({ value: 'x' })
  })
})

describe('the answer of a form', () => {
  it('is sent once, however often the user presses, and nothing can be changed meanwhile', async () => {
    const { form, sent, field } = open({ a: { type: 'string' } })
    const submitted = form.submit()
    expect(form.getState()).toMatchObject({ status: 'sending', isEditable: false, canSubmit: false })
    form.set('a', 'late')
    await Promise.all([form.submit(), form.decline(), form.cancel(), submitted])
    expect(sent()).toEqual([{ action: 'accept', content: {} }])
    expect(field('a')?.value).toBe('')
  })

  it.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ] as const)('by %s() says nothing of what was filled in', async (action, status) => {
    const { form, sent } = open({ a: { type: 'string', default: 'x' } })
    await form[action]()
    expect(sent()).toEqual([{ action }])
    expect(form.getState()).toMatchObject({ status, isEditable: false })
  })

  it('says that it is sent again while the server cannot be reached', () => {
    const { form, change } = open({})
    const seen = vi.fn()
    form.subscribe(({ statusText }) => seen(statusText))
    change({ inputResponses: { key: { status: 'sending', isRetrying: false } } })
    change({ inputResponses: { key: { status: 'sending', isRetrying: true } } })
    expect(seen.mock.calls.flat()).toEqual(['Sending…', 'The server cannot be reached. Trying again…'])
  })

  it('is not wanted any more where another tab has answered, or the server has withdrawn the request', async () => {
    const { form, change, sent } = open({ a: { type: 'string' } })
    change({ inputRequests: {} })
    expect(form.getState()).toMatchObject({ status: 'gone', isEditable: false, canSubmit: false, problem: '' })
    expect(form.getState().statusText).toMatch('given elsewhere')
    await form.submit()
    await form.decline()
    expect(sent()).toEqual([])
  })

  it('is for this request, and for no later one under its key', () => {
    const { form, change } = open({})
    change({ inputRequests: { key: formRequest({ type: 'object' }) } })
    expect(form.getState().status).toBe('gone')
  })

  it('calls listeners for what changes, and leaves the client alone without any', () => {
    const { form, change, listeners } = open({ a: { type: 'string' } })
    const listener = vi.fn()
    const stop = form.subscribe(listener)
    const before = form.getState()
    change({ network: 'offline' } as never)
    expect(listener).not.toHaveBeenCalled()
    form.set('a', 'x')
    expect(listener.mock.calls).toEqual([[form.getState(), before]])
    stop()
    stop()
    expect(listeners.size).toBe(0)
    form.set('a', 'y')
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('is accepted whatever a listener throws, and the other listeners are called', async () => {
    const report = vi.spyOn(globalThis, 'queueMicrotask').mockReturnValue()
    const { form, sent } = open({ a: { type: 'string' } })
    const broken = new Error('Cannot render')
    form.subscribe(() => {
      throw broken
    })
    const statuses: string[] = []
    form.subscribe(({ status }) => statuses.push(status))
    expect(await form.submit()).toBeUndefined()
    expect(sent()).toHaveLength(1)
    expect(form.getState()).toMatchObject({ status: 'accepted', problem: '' })
    expect(statuses).toEqual(['sending', 'accepted'])
    expect(report.mock.calls).toHaveLength(2)
    expect(report.mock.calls[0]?.[0]).toThrow(broken)
  })

  it('tells listeners also of what somebody has read before them', () => {
    const { form, change } = open({})
    const listener = vi.fn()
    form.subscribe(() => form.getState())
    form.subscribe(listener)
    change({ inputRequests: {} })
    expect(listener).toHaveBeenCalledTimes(1)
  })
})

describe('a draft', () => {
  const schema = { a: { type: 'string' }, b: { type: 'boolean' }, c: { type: 'array', items: { enum: ['x', 'y'] } } }

  /** What a page has of `sessionStorage`. */
  function drafts() {
    const items = new Map<string, string>()
    return {
      items,
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    }
  }

  it('brings back what was typed, until it is answered', async () => {
    const storage = drafts()
    const { form } = open(schema, [], { drafts: storage })
    form.set('a', 'typed')
    form.set('b', true)
    form.toggle('c', 'y')
    const again = open(schema, [], { drafts: storage })
    expect(again.form.getState().fields.map(({ value }) => value)).toEqual(['typed', true, ['y']])
    await again.form.submit()
    expect(storage.items.size).toBe(0)
  })

  it.each([
    ['while a component shows its form', 1],
    ['after that', 0],
  ])('goes when no answer is needed any more, %s', (_, shown) => {
    const storage = drafts()
    const { form, change, listeners } = open(schema, [], { drafts: storage })
    const unsubscribe = form.subscribe(() => {})
    form.set('a', 't')
    form.set('a', 'typed')
    for (const unmount of [unsubscribe].slice(shown)) unmount()
    expect(storage.items.size).toBe(1)
    change({ inputRequests: {} })
    expect(form.getState().status).toBe('gone')
    expect(storage.items.size).toBe(0)
    expect(listeners.size).toBe(shown)
  })

  it('keeps that the user has taken a choice back which is the default', () => {
    const storage = drafts()
    const choice = { a: { type: 'string', enum: ['x', 'y'], default: 'x' } }
    open(choice, [], { drafts: storage }).form.set('a', '')
    expect(open(choice, [], { drafts: storage }).field('a')?.value).toBe('')
  })

  it('follows its call until it is answered, and no call without a draft is followed', async () => {
    const { form, listeners } = open(schema, [], { drafts: drafts() })
    expect(listeners.size).toBe(0)
    form.set('a', 'typed')
    expect(listeners.size).toBe(1)
    await form.submit()
    expect(form.getState().status).toBe('accepted')
    expect(listeners.size).toBe(0)
    const other = open(schema)
    other.form.set('a', 'typed')
    expect(other.listeners.size).toBe(0)
  })

  it('is followed by the newest form into which something was typed, by no more', async () => {
    const storage = drafts()
    const { source, change, listeners } = open(schema)
    for (const typed of ['1', '2', '3', '4', '5']) {
      const form = createElicitationForm(source, { drafts: storage })
      const unsubscribe = form.subscribe(() => {})
      form.set('a', typed)
      unsubscribe()
    }
    expect([storage.items.size, listeners.size]).toEqual([1, 1])
    change({ inputRequests: {} })
    expect([storage.items.size, listeners.size]).toEqual([0, 0])
  })

  it('goes when its request was answered by a form that keeps none', async () => {
    const storage = drafts()
    const { source, form, change, listeners } = open(schema, [], { drafts: storage })
    form.set('a', 'typed')
    await createElicitationForm(source).submit()
    change({ inputRequests: {} })
    expect([storage.items.size, listeners.size]).toEqual([0, 0])
  })

  it("is kept in the tab's own storage, where the page has one", () => {
    open(schema, [], { drafts: 'session' }).form.set('a', 'typed')
    vi.stubGlobal('sessionStorage', drafts())
    open(schema, [], { drafts: 'session' }).form.set('a', 'typed')
    expect(open(schema, [], { drafts: 'session' }).field('a')?.value).toBe('typed')
  })

  it('is that of one question: the same key with another one begins anew', () => {
    const storage = drafts()
    open(schema, [], { drafts: storage }).form.set('a', 'typed')
    expect(open({ a: { type: 'string', title: 'Other' } }, [], { drafts: storage }).field('a')?.value).toBe('')
  })

  it('is not kept unless the app wants it', () => {
    open(schema).form.set('a', 'typed')
    expect(open(schema).field('a')?.value).toBe('')
  })

  it.each(['not JSON', '7', '{"a":7,"b":"yes","c":"x"}', '{"__proto__":{"a":"x"}}'])(
    'that is broken (%s) is as good as none',
    (text) => {
      const storage = { ...drafts(), getItem: () => text }
      expect(
        open(schema, [], { drafts: storage })
          .form.getState()
          .fields.map(({ value }) => value),
      ).toEqual(['', false, []])
    },
  )

  it('that cannot be kept is no reason to fail', async () => {
    const fail = () => {
      throw new Error('Forbidden')
    }
    const { form, field } = open(schema, [], { drafts: { getItem: fail, setItem: fail, removeItem: fail } })
    form.set('a', 'x')
    expect(field('a')?.value).toBe('x')
    await form.submit()
    expect(form.getState().status).toBe('accepted')
  })
})

describe('a form that cannot be shown', () => {
  it.each([
    [{ type: 'object', properties: { a: { type: 'string' } } }],
    [{ type: ['string', 'null'] }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ type: 'array', items: { type: 'string' } }],
    [{ type: 'array', items: { type: 'array' } }],
    [{ enum: [1, 2] }],
    [{ $ref: '#/$defs/a' }],
    [{ type: 'string', enum: Array.from({ length: 1001 }, (_, at) => `${at}`) }],
    ['not a schema'],
    [null],
  ])('because of a required field %j can be declined, and says so', async (schema) => {
    const { form, sent } = open({ a: schema, b: { type: 'string' } }, ['a'])
    expect(form.getState()).toMatchObject({
      canSubmit: false,
      isEditable: true,
      problem: 'This asks for something that cannot be filled in here. You can decline.',
    })
    expect(form.getState().fields[0]).toMatchObject({ kind: 'unsupported', error: 'This cannot be filled in here.' })
    expect(await form.submit()).toBeUndefined()
    await form.decline()
    expect(sent()).toEqual([{ action: 'decline' }])
  })

  it('leaves out a field of that kind that need not be filled in', async () => {
    const { form, sent } = open({ a: { type: 'object', default: { x: 1 } }, b: { type: 'string', default: 'x' } }, [
      'b',
    ])
    await form.submit()
    expect(sent()).toEqual([{ action: 'accept', content: { b: 'x' } }])
  })

  it('because the schema requires what it does not describe can be declined', () => {
    expect(open({}, ['owner']).form.getState()).toMatchObject({ canSubmit: false, fields: [{ label: 'owner' }] })
  })

  it('because it has thousands of fields shows none of them', () => {
    const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${at}`, { type: 'string' }]))
    const { form } = open(properties)
    expect(form.getState()).toMatchObject({ fields: [], canSubmit: false, isEditable: true })
    expect(form.getState().problem).toMatch('more than can be shown')
  })

  it('because it is no elicitation says so, and sends nothing', async () => {
    const { source, sent } = callThatAsks({ method: 'roots/list' })
    const form = createElicitationForm(source)
    expect(form.getState()).toMatchObject({ kind: 'other', isEditable: false, problem: expect.stringMatching('form') })
    await Promise.all([form.submit(), form.decline(), form.cancel()])
    expect(sent()).toEqual([])
  })
})

describe('a hostile schema', () => {
  it('may name its fields as it likes', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '"> <b>']
    const properties = JSON.parse(
      `{${names.map((name) => `${JSON.stringify(name)}:{"type":"string"}`).join()}}`,
    ) as JsonObject
    const { form, sent } = open(properties, names)
    for (const name of names) form.set(name, 'x')
    expect(form.getState().fields.map(({ name, value }) => [name, value])).toEqual(names.map((name) => [name, 'x']))
    await form.submit()
    const content = (sent()[0] as { content: JsonObject }).content
    expect(Object.keys(content)).toEqual(names)
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('cannot keep the page busy by a pattern', async () => {
    const { form, sent } = open({ a: { type: 'string', pattern: '^(a+)+$' } })
    form.set('a', `${'a'.repeat(60)}!`)
    await form.submit()
    expect(sent()).toHaveLength(1)
  })

  it('cannot flood the page with texts', () => {
    const long = 'x'.repeat(1_000_000)
    const { field } = open({ a: { type: 'string', title: long, description: long, enum: [long] } })
    expect(JSON.stringify({ ...field('a'), options: [] }).length).toBeLessThan(4000)
  })

  it.each([
    [{ properties: 7, required: 'a' }],
    [{ properties: [], required: [7, null] }],
    [{ properties: { a: { type: 'string', title: 7, description: {}, enum: 7, oneOf: 'x', minLength: '3' } } }],
  ])('%j makes a form that can be sent', async (schema) => {
    const { source, sent } = callThatAsks(formRequest(schema))
    const form = createElicitationForm(source)
    await form.submit()
    expect(sent()).toHaveLength(1)
  })
})

describe('a page to visit', () => {
  function visit(url: string) {
    const call = callThatAsks(urlRequest(url))
    return { ...call, form: createElicitationForm(call.source) }
  }

  it.each([
    ['https://example.com/a?b#c', 'https://', 'example.com', '/a?b#c'],
    ['HTTPS://EXAMPLE.com\\@evil.example', 'https://', 'example.com', '/@evil.example'],
    ['https://a/b@evil.example', 'https://', 'a', '/b@evil.example'],
    ['https://@evil.example/', 'https://', 'evil.example', '/'],
  ])('%s is shown in full, with its host apart', (url, before, host, after) => {
    const { form } = visit(url)
    expect(form.getState()).toMatchObject({
      kind: 'url',
      address: { href: before + host + after, before, host, after },
      canSubmit: false,
      isEditable: true,
      warnings: [],
      fields: [],
    })
  })

  it.each([
    ['https://google.com@evil.example/', 'https://google.com@', 'evil.example', '/'],
    ['https://google.com:pass@evil.example:8443/x', 'https://google.com:pass@', 'evil.example:8443', '/x'],
    ['https://:google.com@evil.example/', 'https://:google.com@', 'evil.example', '/'],
    ['https://google.com%2F@evil.example/', 'https://google.com%2F@', 'evil.example', '/'],
  ])('%s, with a user name before its host, is shown in full, with a warning', (url, before, host, after) => {
    const { address, warnings } = visit(url).form.getState()
    expect(address).toMatchObject({ href: before + host + after, before, host, after, hasUserPart: true })
    expect(warnings).toEqual([
      'The part before the @ may imitate another site. This address leads to the site after it.',
    ])
  })

  it('whose host has letters of other alphabets is shown in ASCII, with a warning', () => {
    const { address, warnings } = visit('https://аpple.com/').form.getState()
    expect(address?.host).toMatch(/^xn--/)
    expect(warnings).toEqual(['This address has letters that may imitate others.'])
  })

  it.each([
    ['http://example.com/', 1],
    ['http://localhost:5173/', 0],
    ['http://127.0.0.1/', 0],
    ['http://[::1]/', 0],
    ['http://localhost.example/', 1],
    ['http://127.0.0.1.example/', 1],
  ])('%s warns %i times', (url, warnings) => {
    expect(visit(url).form.getState().warnings).toHaveLength(warnings)
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'blob:https://a/b', 'intent://x', 'x', ''])(
    '%s is not shown as a link, and can only be declined',
    async (url) => {
      const { form, sent } = visit(url)
      expect(form.getState()).toMatchObject({ address: undefined, canSubmit: false, isEditable: true })
      expect(form.getState().problem).toMatch('not safe')
      await form.submit()
      await form.decline()
      expect(sent()).toEqual([{ action: 'decline' }])
    },
  )

  it('has the consent of the user once they open it, and not before', async () => {
    const { form, sent } = visit('https://example.com/')
    expect(sent()).toEqual([])
    await form.submit()
    expect(sent()).toEqual([{ action: 'accept' }])
  })

  it.each([
    ['left', 0, [{ action: 'accept' }]],
    ['middle', 1, [{ action: 'accept' }]],
    ['right', 2, []],
    ['back', 3, []],
  ])(
    'has the consent of the user by a click of the button of the mouse that opens it: %s',
    async (_, button, answers) => {
      const { form, sent } = visit('https://example.com/')
      await form.onOpen({ button })
      expect(sent()).toEqual(answers)
    },
  )

  it('has no consent by the submit event of a form, which may show no address', async () => {
    const { form, sent } = visit('https://example.com/')
    await form.onSubmit({ currentTarget: null, preventDefault: () => {} })
    expect(sent()).toEqual([])
    expect(form.getState()).toMatchObject({ status: 'open', isEditable: true })
  })
})
