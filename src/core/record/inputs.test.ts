import { describe, expect, it } from 'vitest'
import { type InputRequest, MAX_OPEN_INPUT_REQUESTS } from '../protocol/inputRequest.js'
import { type InputState, inputsOf, takeAsked, withInput } from './inputs.js'

const ROOTS: InputRequest = { method: 'roots/list' }
const ASK: InputRequest = { method: 'sampling/createMessage', params: { messages: [] } }
const many = (count: number, from = 0): Record<string, InputRequest> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${from + at}`, ROOTS]))

describe('what a snapshot asks', () => {
  it('is taken over, and its keys are those that are new', () => {
    expect(takeAsked({}, { a: ROOTS, b: ASK }, [])).toEqual({
      inputRequests: { a: ROOTS, b: ASK },
      added: ['a', 'b'],
      hasChanged: false,
    })
  })

  it('keeps its reference where nothing is new', () => {
    const known = { a: ROOTS, b: ASK }
    expect(takeAsked(known, { a: ROOTS, b: ASK }, []).inputRequests).toBe(known)
    expect(takeAsked(known, { a: ROOTS }, []).inputRequests).toEqual({ a: ROOTS })
    expect(takeAsked({ a: ROOTS }, { b: ASK }, [])).toMatchObject({ inputRequests: { b: ASK }, added: ['b'] })
  })

  it('keeps what it asked first under a key, and says that it has changed', () => {
    const { inputRequests, hasChanged, added } = takeAsked({ a: ROOTS, b: ROOTS }, { a: ASK, b: ROOTS }, [])
    expect({ inputRequests, hasChanged, added }).toEqual({
      inputRequests: { a: ROOTS, b: ROOTS },
      hasChanged: true,
      added: [],
    })
  })

  it('is not asked again once it was answered, also before this page has seen it', () => {
    expect(takeAsked({}, { a: ROOTS, b: ASK }, ['a'])).toMatchObject({ inputRequests: { b: ASK }, added: ['b'] })
    // One that is shown stays until the server no longer asks it.
    expect(takeAsked({ a: ROOTS }, { a: ROOTS }, ['a'])).toMatchObject({ inputRequests: { a: ROOTS }, added: [] })
  })

  it('opens no more at once than a page can show, counting those that are open and not those that were answered', () => {
    const open = many(MAX_OPEN_INPUT_REQUESTS)
    expect(takeAsked({}, many(MAX_OPEN_INPUT_REQUESTS + 2), []).added).toHaveLength(MAX_OPEN_INPUT_REQUESTS)
    expect(takeAsked(open, { more: ROOTS, ...open }, []).added).toEqual([])
    const answered = ['key-0', 'key-1', 'key-2']
    expect(takeAsked(open, { ...many(5, MAX_OPEN_INPUT_REQUESTS), ...open }, answered).added).toEqual([
      'key-256',
      'key-257',
      'key-258',
    ])
  })
})

describe('the inputs of a page', () => {
  const open: InputState = { request: ROOTS, status: 'open' }
  const nobody = () => false

  it('are open, or with the handler that responds to them', () => {
    const inputs = inputsOf(new Map(), { a: ROOTS, b: ASK }, [], (request) => request === ASK)
    expect([...inputs]).toEqual([
      ['a', open],
      ['b', { request: ASK, status: 'handling' }],
    ])
  })

  it('are answered, whatever became of the response here', () => {
    const rejected: InputState = { request: ROOTS, status: 'rejected', error: new Error('no') }
    const inputs = inputsOf(new Map([['a', rejected]]), { a: ROOTS, b: ASK }, ['a', 'b'], nobody)
    expect([...inputs]).toEqual([
      ['a', { request: ROOTS, status: 'answered' }],
      ['b', { request: ASK, status: 'answered' }],
    ])
  })

  it('keep their references where nothing is new, and only there', () => {
    const answered: InputState = { request: ASK, status: 'answered' }
    const inputs = new Map([
      ['a', open],
      ['b', answered],
    ])
    expect(inputsOf(inputs, { a: ROOTS, b: ASK }, ['b'], nobody)).toBe(inputs)
    expect(inputsOf(inputs, { a: ROOTS }, [], nobody)).toEqual(new Map([['a', open]]))
    expect(inputsOf(inputs, { a: ROOTS, c: ASK }, ['b'], nobody).get('c')?.status).toBe('open')
    const changed = inputsOf(inputs, { a: ROOTS, b: ASK }, ['a', 'b'], nobody)
    expect(changed).not.toBe(inputs)
    expect(changed.get('a')?.status).toBe('answered')
    expect(changed.get('b')).toBe(answered)
  })

  it('change one by one, without changing those that there were', () => {
    const inputs = new Map([['a', open]])
    const more = withInput(inputs, 'b', open)
    expect([...more.keys()]).toEqual(['a', 'b'])
    expect([...withInput(more, 'a', undefined).keys()]).toEqual(['b'])
    expect([...inputs.keys()]).toEqual(['a'])
  })
})
