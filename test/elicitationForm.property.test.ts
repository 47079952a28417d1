import fc from 'fast-check'
import { createElicitationForm } from 'taskwire/forms'
import { expect, it } from 'vitest'
import { formIssues } from '../src/core/protocol/formIssues.js'
import { validateInputResponse } from '../src/core/run/inputs.js'
import { callThatAsks, formRequest } from './support/askingCall.js'

/** A field, and what a user may fill in, in the type that is sent; undefined leaves it empty. */
interface Filled {
  readonly schema: Record<string, unknown>
  readonly value: unknown
}

const small = fc.integer({ min: -3, max: 8 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
/** Outer spaces are none of an address, a date or a number, and nobody types an empty text. */
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => text === text.trim())
const texts: Record<string, fc.Arbitrary<string>> = {
  none: words,
  email: fc.oneof(words, fc.emailAddress()),
  uri: fc.oneof(words, fc.webUrl(), fc.constant('urn:isbn:0451450523')),
  date: fc.oneof(words, fc.constantFrom('2026-07-28', '2026-02-30', '2024-02-29', '26-1-1')),
  hostname: words,
}
const options = fc.uniqueArray(words, { minLength: 1, maxLength: 5 })

const text = fc.constantFrom(...Object.keys(texts)).chain((format) =>
  fc.record<Filled>({
    schema: fc.record({
      type: fc.constant('string'),
      format: fc.constant(format),
      minLength: maybe(small),
      maxLength: maybe(small),
    }),
    value: maybe(texts[format] ?? words),
  }),
)
const number = fc.record<Filled>({
  schema: fc.record({
    type: fc.constantFrom('number', 'integer'),
    minimum: maybe(small),
    maximum: maybe(small),
  }),
  value: maybe(
    fc.oneof(
      small,
      fc.double({ noNaN: true }).map((value) => value + 0),
    ),
  ),
})
const yesOrNo = fc.record<Filled>({ schema: fc.constant({ type: 'boolean' }), value: fc.boolean() })
const choice = options.chain((values) =>
  fc.record<Filled>({
    schema: fc.constantFrom(
      { type: 'string', enum: values },
      { enum: values },
      { type: 'string', oneOf: values.map((value) => ({ const: value, title: `The ${value}` })) },
      { type: 'string', enum: values, maxLength: 3 },
    ),
    value: maybe(fc.constantFrom(...values)),
  }),
)
const choices = options.chain((values) =>
  fc.record<Filled>({
    schema: fc.record({
      type: fc.constant('array'),
      items: fc.constantFrom({ type: 'string', enum: values }, { anyOf: values.map((value) => ({ const: value })) }),
      minItems: maybe(small),
      maxItems: maybe(small),
    }),
    value: fc.subarray(values),
  }),
)
const names = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'a'), fc.string({ minLength: 1 }))
const form = fc.record({
  fields: fc.uniqueArray(
    fc.record({ name: names, filled: fc.oneof(text, number, yesOrNo, choice, choices), isRequired: fc.boolean() }),
    { selector: ({ name }) => name, maxLength: 6 },
  ),
})

it('a form sends what the client takes, as it was filled in, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(form, async ({ fields }) => {
      const request = formRequest({
        type: 'object',
        properties: Object.fromEntries(fields.map(({ name, filled }) => [name, filled.schema])),
        required: fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
      })
      const { source, sent } = callThatAsks(request)
      const elicitation = createElicitationForm(source)
      const content: [string, unknown][] = []
      for (const { name, isRequired, filled } of fields) {
        const { value, schema } = filled
        // No options are chosen where some would be too few, and none is needed: the field is left out.
        const isLeftOut =
          Array.isArray(value) && value.length === 0 && !isRequired && Number(schema['minItems'] ?? 0) > 0
        if (value === undefined || isLeftOut) continue
        content.push([name, value])
        elicitation.set(name, typeof value === 'number' ? String(value) : (value as string))
      }
      const response = { action: 'accept', content: Object.fromEntries(content) }
      const isTaken = (await validateInputResponse(request, response, formIssues)) === undefined
      const wrong = await elicitation.submit()
      expect(sent()).toEqual(isTaken ? [response] : [])
      expect(wrong === undefined).toBe(isTaken)
      expect(elicitation.getState().fields.some(({ error }) => error !== undefined)).toBe(!isTaken)
    }),
    { numRuns: 500 },
  )
})

it('what a form sends is taken by the client, whatever is typed into it', async () => {
  const typed = fc.oneof(fc.string(), fc.boolean(), fc.array(fc.string()), fc.double().map(String))
  const anySchema = fc.oneof(
    text.map(({ schema }) => schema),
    number.map(({ schema }) => schema),
    choices.map(({ schema }) => schema),
    fc.constant({ type: 'string', format: 'date-time' }),
    fc.object({ key: fc.constantFrom('type', 'enum', 'oneOf', 'items', 'default', 'format', 'minLength', 'const') }),
  )
  const plan = fc.dictionary(names, fc.tuple(anySchema, typed), { maxKeys: 5 })
  await fc.assert(
    fc.asyncProperty(plan, fc.boolean(), async (fields, isRequired) => {
      const properties = Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema]))
      const request = formRequest({ type: 'object', properties, required: isRequired ? Object.keys(fields) : [] })
      const { source, sent } = callThatAsks(request)
      const elicitation = createElicitationForm(source)
      for (const [name, [, value]] of Object.entries(fields)) elicitation.set(name, value)
      await elicitation.submit()
      for (const response of sent()) expect(await validateInputResponse(request, response, formIssues)).toBeUndefined()
      const { status, fields: shown } = elicitation.getState()
      expect(sent()).toHaveLength(status === 'accepted' ? 1 : 0)
      expect(shown).toHaveLength(Object.keys(properties).length)
    }),
    { numRuns: 500 },
  )
})
