import { describe, expect, it } from 'vitest'
import { formIssues } from './formIssues.js'
import type { JsonObject } from './json.js'

/** What is said of one field with this value. */
function said(field: JsonObject, value: unknown): string | undefined {
  return formIssues({ type: 'object', properties: { field } }, { field: value })[0]?.message
}

const TITLED = [
  { const: 'a', title: 'Alpha' },
  { const: 'b', title: 'Beta' },
]

describe('formIssues()', () => {
  it('says of each field that does not fit what the user is to do, in the order of the schema', () => {
    const schema = {
      type: 'object',
      properties: {
        reason: { type: 'string', title: 'Reason', minLength: 3 },
        replicas: { type: 'integer', minimum: 1 },
        regions: { type: 'array', items: { type: 'string', enum: ['Europe', 'Asia'] }, minItems: 1 },
      },
      required: ['replicas', 'reason', 'owner'],
    }
    expect(formIssues(schema, { reason: 'ok', regions: [] })).toEqual([
      { path: 'reason', message: 'Enter at least 3 characters.' },
      { path: 'replicas', message: 'This field is required.' },
      { path: 'regions', message: 'Choose at least 1.' },
      { path: 'owner', message: 'This field is required.' },
    ])
    expect(formIssues(schema, { reason: 'Fixes it', replicas: 1, regions: ['Asia'], owner: 'me' })).toEqual([])
  })

  it.each([
    [{ type: 'string' }, 7, 'Enter a text.'],
    [{ type: 'string', minLength: 1 }, '', 'Enter at least 1 character.'],
    [{ type: 'string', maxLength: 20 }, 'x'.repeat(21), 'Enter at most 20 characters.'],
    [{ type: 'string', format: 'email' }, 'ann', 'Enter an email address, such as name@example.com.'],
    [{ type: 'string', format: 'email' }, 'by ann@localhost', 'Enter an email address, such as name@example.com.'],
    [{ type: 'string', format: 'email' }, 'ann@localhost or bob', 'Enter an email address, such as name@example.com.'],
    [{ type: 'string', format: 'uri' }, 'example.com', 'Enter a full address, such as https://example.com.'],
    [
      { type: 'string', format: 'uri' },
      'https://example.com/a b',
      'Enter a full address, such as https://example.com.',
    ],
    [{ type: 'string', format: 'date' }, 'tomorrow', 'Enter a date, such as 2026-07-28.'],
    [{ type: 'string', format: 'date' }, '2026-02-30', 'Enter a date, such as 2026-07-28.'],
    [{ type: 'string', format: 'date' }, '2026-13-01', 'Enter a date, such as 2026-07-28.'],
    [{ type: 'string', format: 'date' }, '2026-07-28T00:00:00.000Z', 'Enter a date, such as 2026-07-28.'],
    [{ type: 'string', format: 'date' }, '+012026-07-28', 'Enter a date, such as 2026-07-28.'],
    [
      { type: 'string', format: 'date-time' },
      '2026-07-28T09:30',
      'Enter a date and a time with its zone, such as 2026-07-28T09:30:00Z.',
    ],
    [{ type: 'integer' }, 1.5, 'Enter a whole number.'],
    [{ type: 'integer' }, '1', 'Enter a whole number.'],
    [{ type: 'number' }, Number.NaN, 'Enter a number.'],
    [{ type: 'number', minimum: 0.5 }, 0, 'Enter 0.5 or more.'],
    [{ type: 'integer', maximum: 12 }, 13, 'Enter 12 or less.'],
    [{ type: 'boolean' }, 'yes', 'Choose yes or no.'],
    [{ type: 'string', enum: ['a', 'b'], enumNames: ['Alpha', 'Beta'] }, 'Alpha', 'Choose one of the options.'],
    [{ type: 'string', oneOf: TITLED }, 'Alpha', 'Choose one of the options.'],
    [{ type: 'array' }, 'a', 'Choose from the options.'],
    [{ type: 'array', minItems: 2 }, ['a'], 'Choose at least 2.'],
    [{ type: 'array', maxItems: 1 }, ['a', 'b'], 'Choose at most 1.'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] } }, ['a', 'c'], 'Choose one of the options.'],
    [{ type: 'array', items: { anyOf: TITLED } }, ['c'], 'Choose one of the options.'],
    [{ enum: ['a'] }, 'c', 'Choose one of the options.'],
  ])('of a field %j with the content %j says "%3$s"', (field, value, message) => {
    expect(said(field, value)).toBe(message)
  })

  it.each([
    // Characters are counted as JSON Schema does, not in halves of them.
    [{ type: 'string', maxLength: 2 }, '😀😀'],
    [{ type: 'string', format: 'email' }, 'ann@localhost'],
    [{ type: 'string', format: 'uri' }, 'urn:isbn:0451450523'],
    [{ type: 'string', format: 'date' }, '2024-02-29'],
    [{ type: 'string', format: 'date-time' }, '2026-07-28t09:30:00.123+02:00'],
    [{ type: 'string', format: 'date-time' }, '2016-12-31T23:59:60Z'],
    [{ type: 'number', minimum: 0, maximum: 0 }, 0],
    [{ type: 'boolean' }, false],
    [{ type: 'string', enum: ['a', 'b'] }, 'b'],
    [{ type: 'string', oneOf: TITLED }, 'b'],
    [{ type: 'array', items: { anyOf: TITLED }, minItems: 2, maxItems: 2 }, ['a', 'b']],
    [{ type: 'array', items: { enum: ['a'] } }, ['a', { b: 1 }]],
    [{ type: 'array', minItems: 0 }, []],
  ])('takes in a field %j the content %j', (field, value) => {
    expect(said(field, value)).toBeUndefined()
  })

  it.each([
    [{ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    [{ type: 'string', format: 'hostname' }, '!'],
    [{ type: ['string', 'null'] }, null],
    [{ oneOf: [{ pattern: '^b' }] }, 'a'],
    [{ $ref: '#/$defs/name' }, 'a'],
    [{ type: 'string', minLength: '7', maxLength: null, enum: 'a', oneOf: {} }, 'b'],
    [{ type: 'array', items: false }, ['a']],
    ['not a schema', 'a'],
  ])('leaves a field %j to the server', (field, value) => {
    expect(said(field as JsonObject, value)).toBeUndefined()
  })

  it('leaves fields alone that the schema does not name', () => {
    expect(formIssues({ type: 'object', properties: {}, additionalProperties: false }, { more: 1 })).toEqual([])
  })

  it.each(['toString', 'constructor', '__proto__'])(
    'does not take what every object inherits for the field %s',
    (name) => {
      const schema = { properties: {}, required: [name] }
      expect(formIssues(schema, {})).toEqual([{ path: name, message: 'This field is required.' }])
      expect(formIssues(schema, JSON.parse(`{"${name}":"text"}`))).toEqual([])
    },
  )

  it('takes an undefined member for one that is absent, as JSON does', () => {
    const schema = { properties: { name: { type: 'string' } } }
    expect(formIssues(schema, { name: undefined })).toEqual([])
    expect(formIssues({ ...schema, required: ['name'] }, { name: undefined })).toHaveLength(1)
  })

  it('takes a time that grows with the form, and no faster', () => {
    const options = Array.from({ length: 200_000 }, (_, at) => `option ${at}`)
    expect(said({ type: 'array', items: { enum: options } }, options)).toBeUndefined()
    expect(formIssues({ properties: {}, required: options }, {})).toHaveLength(200_000)
  })

  it.each([[{}], [{ properties: 7, required: 'name' }], [{ properties: [], required: [7, null] }]])(
    'asks nothing by a schema %j',
    (schema) => {
      expect(formIssues(schema, { a: 1 })).toEqual([])
    },
  )
})
