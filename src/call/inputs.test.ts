import { describe, expect, it } from 'vitest'
import { type InputRequest, MAX_OPEN_INPUT_REQUESTS } from '../protocol/inputRequest.js'
import { type InputState, type Inputs, isBusy, NO_INPUTS, observeInputs, withInput } from './inputs.js'

const roots: InputRequest = { method: 'roots/list' }
const form = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { name: { enum: ['a', 'b'] } } } },
})
const inputs = (members: Record<string, InputState>): Inputs => new Map(Object.entries(members))
const isHandled = ({ method }: InputRequest) => method === 'roots/list'
const unhandled = () => false

describe('observeInputs', () => {
  it('adds what is new, handled or open', () => {
    const { inputs, added, changed } = observeInputs(NO_INPUTS, { q1: roots, q2: form('Name?') }, [], isHandled)
    expect([...inputs]).toEqual([
      ['q1', { request: roots, status: 'handling' }],
      ['q2', { request: form('Name?'), status: 'open' }],
    ])
    expect(added).toEqual(['q1', 'q2'])
    expect(changed).toBeUndefined()
  })

  it('returns the same reference where nothing is asked and nothing was', () => {
    expect(observeInputs(NO_INPUTS, {}, [], unhandled)).toEqual({ inputs: NO_INPUTS, added: [] })
    expect(observeInputs(NO_INPUTS, {}, [], unhandled).inputs).toBe(NO_INPUTS)
  })

  it('returns the same reference where the same is asked, however deep it is', () => {
    const known = inputs({ q1: { request: form('Name?'), status: 'open' } })
    const observed = observeInputs(known, structuredClone({ q1: form('Name?') }), [], unhandled)
    expect(observed.inputs).toBe(known)
    expect(observed.added).toEqual([])
  })

  it.each(['open', 'handling', 'sending', 'rejected', 'answered'] as const)(
    'keeps an input request that is %s as it is',
    (status) => {
      const known = inputs({ q1: { request: roots, status, isRetrying: true } })
      expect(observeInputs(known, { q1: roots }, [], unhandled).inputs).toBe(known)
    },
  )

  it('drops what the server withdraws, and keeps the rest', () => {
    const known = inputs({ q1: { request: roots, status: 'sending' }, q2: { request: roots, status: 'open' } })
    const observed = observeInputs(known, { q2: roots }, [], unhandled)
    expect([...observed.inputs.keys()]).toEqual(['q2'])
    expect(observed.inputs.get('q2')).toBe(known.get('q2'))
    expect(observeInputs(known, {}, [], unhandled).inputs.size).toBe(0)
  })

  it('tells one key that takes the place of another apart', () => {
    const known = inputs({ q1: { request: roots, status: 'open' } })
    const observed = observeInputs(known, { q2: roots }, [], unhandled)
    expect([...observed.inputs.keys()]).toEqual(['q2'])
    expect(observed.added).toEqual(['q2'])
  })

  it('does not ask again what was answered here or in another page', () => {
    const observed = observeInputs(NO_INPUTS, { q1: roots, q2: roots }, ['q1'], unhandled)
    expect([...observed.inputs.keys()]).toEqual(['q2'])
    expect(observed.added).toEqual(['q2'])
  })

  it('asks again what was withdrawn without having been answered', () => {
    const known = inputs({ q1: { request: roots, status: 'open' } })
    const withdrawn = observeInputs(known, {}, [], unhandled).inputs
    expect(observeInputs(withdrawn, { q1: form('Name?') }, [], unhandled).added).toEqual(['q1'])
  })

  it('says which key asks something else than before, and changes nothing', () => {
    const known = inputs({ q1: { request: form('Name?'), status: 'open' } })
    expect(observeInputs(known, { q0: roots, q1: form('Age?') }, [], unhandled)).toEqual({
      inputs: known,
      added: [],
      changed: 'q1',
    })
  })

  describe('while many are open', () => {
    const many = (count: number, prefix = 'q') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
    const asked = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, roots]))
    const all = (keys: string[], status: InputState['status']) =>
      inputs(Object.fromEntries(keys.map((key) => [key, { request: roots, status }])))
    const full = many(MAX_OPEN_INPUT_REQUESTS)

    it('adds as many as may be open at once, and leaves out the rest', () => {
      const observed = observeInputs(NO_INPUTS, asked([...full, 'one more']), [], unhandled)
      expect(observed.added).toEqual(full)
      expect([...observed.inputs.keys()]).toEqual(full)
    })

    it.each(['open', 'handling', 'sending', 'rejected'] as const)('adds none to those that are %s', (status) => {
      const known = all(full, status)
      expect(observeInputs(known, asked([...full, 'one more']), [], unhandled)).toEqual({ inputs: known, added: [] })
    })

    it('does not count those that have been answered, or withdrawn', () => {
      const answered = all(full, 'answered')
      expect(observeInputs(answered, asked([...full, 'one more']), full, unhandled).added).toEqual(['one more'])
      const withdrawn = all(full, 'open')
      const others = many(MAX_OPEN_INPUT_REQUESTS, 'other')
      expect(observeInputs(withdrawn, asked(others), [], unhandled).added).toEqual(others)
    })
  })

  it('takes a key named __proto__ for one like any other', () => {
    const asked = JSON.parse('{"__proto__":{"method":"roots/list"}}')
    const { inputs, added } = observeInputs(NO_INPUTS, asked, [], unhandled)
    expect(added).toEqual(['__proto__'])
    expect(inputs.get('__proto__')).toEqual({ request: roots, status: 'open' })
  })
})

describe('withInput', () => {
  it('changes or removes one input request in a copy', () => {
    const known = inputs({ q1: { request: roots, status: 'open' }, q2: { request: roots, status: 'open' } })
    const changed = withInput(known, 'q1', { request: roots, status: 'sending' })
    expect(changed.get('q1')?.status).toBe('sending')
    expect([...withInput(known, 'q1', undefined).keys()]).toEqual(['q2'])
    expect(known.get('q1')?.status).toBe('open')
  })
})

describe('isBusy', () => {
  it.each([
    ['open', true],
    ['handling', true],
    ['sending', true],
    ['rejected', true],
    ['answered', false],
  ] as const)('of an input request that is %s is %s', (status, expected) => {
    const answered: InputState = { request: roots, status: 'answered' }
    expect(isBusy(inputs({ q1: answered, q2: { request: roots, status } }))).toBe(expected)
  })

  it('of no input requests is false', () => {
    expect(isBusy(NO_INPUTS)).toBe(false)
  })
})
