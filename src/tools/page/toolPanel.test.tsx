import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Tool } from '../../core/protocol/tool.js'
import { toolPanel } from './toolPanel.js'

/** The panel of a tool with this schema. `submit` presses its button and gives the arguments of the call. */
function show(inputSchema: object) {
  const call = vi.fn()
  document.body.replaceChildren(...toolPanel({ name: 'work', inputSchema } as Tool, call))
  const field = () => document.querySelector('textarea') as HTMLTextAreaElement
  return {
    field,
    submit() {
      document.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true }))
      return call.mock.calls.at(-1)?.[0] as unknown
    },
  }
}

afterEach(() => document.body.replaceChildren())

const FILE = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

describe('the panel of a tool', () => {
  it.each([
    ['a union', { type: 'object', anyOf: [FILE, { type: 'object', properties: { url: { type: 'string' } } }] }],
    ['a choice', { type: 'object', oneOf: [FILE] }],
    ['a reference', { type: 'object', $ref: '#/$defs/File', $defs: { File: FILE } }],
    ['any names', { type: 'object', additionalProperties: { type: 'string' } }],
  ])('takes all arguments as JSON where the schema is %s', (_, schema) => {
    const { field, submit } = show(schema)
    expect(document.body.textContent).not.toContain('It takes no arguments.')
    field().value = '{"path":"a.txt"}'
    expect(submit()).toEqual({ path: 'a.txt' })
  })

  it('says what is wrong with them', () => {
    const { field, submit } = show({ type: 'object', oneOf: [FILE] })
    for (const wrong of ['{', '[1]']) {
      field().value = wrong
      expect(submit()).toBeUndefined()
      expect(field().validationMessage).toBe('This is not a JSON object. It may look like {}')
    }
  })

  it('says where there are none', () => {
    const { submit } = show({ type: 'object', properties: {}, additionalProperties: false })
    expect(document.body.textContent).toContain('It takes no arguments.')
    expect(submit()).toEqual({})
  })
})
