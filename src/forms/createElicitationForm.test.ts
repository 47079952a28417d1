import { describe, expect, it, vi } from 'vitest'
import type { ToolCallState } from '../call/toolCallState.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import type { JsonObject } from '../protocol/json.js'
import { createElicitationForm } from './createElicitationForm.js'
import type { ElicitationFormOptions, ElicitationSource } from './elicitationForm.js'

const formRequest = (requestedSchema: JsonObject): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Deploy it?', requestedSchema },
})

const urlRequest = (url: string): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in there', url },
})

/** A call that asks this, and what has been sent to it. */
function callThatAsks(request: InputRequest) {
  let call = { callId: 'call', inputRequests: { key: request }, inputResponses: {} } as unknown as ToolCallState
  const listeners = new Set<() => void>()
  const respond = vi.fn(async (_inputKey: string, _response: InputResponse): Promise<void> => {})
  const client = {
    getToolCall: () => ({ respond }),
    getToolCallState: () => call,
    subscribeToolCall: (_callId: string, listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    source: { client: client as unknown as ElicitationSource['client'], callId: 'call', inputKey: 'key', request },
    respond,
    sent: () => respond.mock.calls.map(([, response]) => response),
    listeners,
    change: (next: Partial<ToolCallState>) => {
      call = { ...call, ...next } as ToolCallState
      for (const listener of [...listeners]) listener()
    },
  }
}

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
    const { name, required, ...rest } = open({ a: schema }).field('a')?.attributes ?? {}
    expect({ name, required }).toEqual({ name: 'a', required: false })
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
