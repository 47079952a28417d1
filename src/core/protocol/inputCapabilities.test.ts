import { describe, expect, it } from 'vitest'
import { missingCapability, undeclaredInput } from './inputCapabilities.js'
import type { InputRequest } from './inputRequest.js'

const elicit = (params: object) =>
  ({ method: 'elicitation/create', params: { message: 'x', ...params } }) as InputRequest
const sample = (params: object) =>
  ({ method: 'sampling/createMessage', params: { messages: [], ...params } }) as InputRequest
const FORM = elicit({ mode: 'form', requestedSchema: {} })
const PAGE = elicit({ mode: 'url', url: 'https://example.com' })
const ROOTS: InputRequest = { method: 'roots/list' }

describe('missingCapability()', () => {
  it.each<[string, unknown, InputRequest, string | undefined]>([
    ['nothing', undefined, ROOTS, 'roots'],
    ['another capability', { sampling: {} }, FORM, 'elicitation'],
    ['a capability that is no object', { roots: true }, ROOTS, 'roots'],
    ['roots', { roots: {} }, ROOTS, undefined],
    ['an empty elicitation, which stands for forms', { elicitation: {} }, FORM, undefined],
    ['an empty elicitation', { elicitation: {} }, elicit({ requestedSchema: {} }), undefined],
    ['an empty elicitation', { elicitation: {} }, PAGE, 'elicitation.url'],
    ['pages', { elicitation: { url: {} } }, PAGE, undefined],
    ['pages', { elicitation: { url: {} } }, FORM, 'elicitation.form'],
    ['pages', { elicitation: { url: {} } }, elicit({ requestedSchema: {} }), 'elicitation.form'],
    ['both', { elicitation: { form: {}, url: {} } }, FORM, undefined],
    ['sampling', { sampling: {} }, sample({}), undefined],
    ['sampling', { sampling: {} }, sample({ tools: [] }), 'sampling.tools'],
    ['sampling', { sampling: {} }, sample({ toolChoice: {} }), 'sampling.tools'],
    ['sampling with tools', { sampling: { tools: {} } }, sample({ tools: [] }), undefined],
  ])('with %s: %j, %j lacks %s', (_name, capabilities, request, expected) => {
    expect(missingCapability(capabilities, request)).toBe(expected)
  })
})

describe('undeclaredInput()', () => {
  it('refuses requests one of which was not declared, and says what is missing', () => {
    expect(undeclaredInput({ a: ROOTS, b: PAGE }, { roots: {} })?.message).toContain('(elicitation)')
  })

  it.each([
    ['declared', { a: ROOTS }],
    ['none', undefined],
    ['no request that is known', { a: { method: 'other' } }],
  ])('lets requests pass that are %s', (_name, requests) => {
    expect(undeclaredInput(requests, { roots: {} })).toBeUndefined()
  })
})
