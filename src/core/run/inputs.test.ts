import { describe, expect, it } from 'vitest'
import { formIssues } from '../protocol/formIssues.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { validateInputResponse } from './inputs.js'

const requestedSchema = { type: 'object', properties: { tray: { type: 'integer' } }, required: ['tray'] }
const REQUESTS = {
  form: { method: 'elicitation/create', params: { message: 'Which?', requestedSchema } },
  url: {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Pay', url: 'https://pay.example', elicitationId: '1' },
  },
  model: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
  roots: { method: 'roots/list', params: {} },
} as unknown as Record<'form' | 'url' | 'model' | 'roots', InputRequest>

const content = { type: 'text', text: 'Hello' }
const ACTION = "its action is not one of 'accept', 'decline' and 'cancel'"

describe('validateInputResponse()', () => {
  it.each([
    ['form', { action: 'accept', content: { tray: 2 } }],
    ['form', { action: 'decline', content: { tray: 'two' } }],
    ['form', { action: 'cancel' }],
    ['url', { action: 'accept' }],
    ['url', { action: 'decline' }],
    ['model', { model: 'm', role: 'assistant', content }],
    ['model', { model: 'm', role: 'user', content }],
    ['roots', { roots: [] }],
  ] as const)('finds nothing wrong for a %s with %j', async (kind, response) => {
    expect(await validateInputResponse(REQUESTS[kind], response as InputResponse, formIssues)).toBeUndefined()
  })

  it.each([
    ['form', null, 'it is not a JSON object'],
    ['form', undefined, 'it is not a JSON object'],
    ['form', 'accept', 'it is not a JSON object'],
    ['roots', 7, 'it is not a JSON object'],
    ['form', {}, ACTION],
    ['form', { action: 'ok' }, ACTION],
    ['url', { action: 'ok' }, ACTION],
    ['form', { action: 'accept', content: 'two' }, 'its content is not an object'],
    ['form', { action: 'accept', content: [2] }, 'its content is not an object'],
    ['model', { role: 'user', content }, 'it names no model'],
    ['model', { model: 'm', role: 'system', content }, 'it has no role'],
    ['model', { model: 'm', role: 'assistant' }, 'it has no content'],
    ['roots', { roots: 'home' }, 'it has no list of roots'],
    ['roots', {}, 'it has no list of roots'],
  ] as const)('says for a %s with %j: %s', async (kind, response, problem) => {
    expect(await validateInputResponse(REQUESTS[kind], response as InputResponse, formIssues)).toBe(problem)
  })

  it.each([[{ action: 'accept', content: { tray: 'two' } }], [{ action: 'accept' }]])(
    'names the field of a form that is filled in wrongly: %j',
    async (response) => {
      expect(await validateInputResponse(REQUESTS.form, response, formIssues)).toEqual([
        expect.objectContaining({ path: 'tray' }),
      ])
    },
  )
})
