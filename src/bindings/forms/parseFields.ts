import { listOf, objectOf, offeredValues } from '../../core/protocol/formProblems.js'
import type { JsonObject } from '../../core/protocol/json.js'
import type { ElicitationFieldAttributes, ElicitationField as Field } from './elicitationFields.js'

/** A form with more fields is not for a person. */
const MAX_FIELDS = 256

/** A field with more options is not shown: a page takes long to render them. */
const MAX_OPTIONS = 1000

const MAX_LABEL_LENGTH = 200
const MAX_DESCRIPTION_LENGTH = 2000

type Limit = 'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'minItems' | 'maxItems'

/** What a schema says of a field. Nothing of it changes while the form is open. */
export interface FieldSpec {
  readonly kind: Field['kind']
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly isRequired: boolean
  readonly type?: ElicitationFieldAttributes['type']
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** The members of the schema that the field is shown with: `minLength`, for instance. */
  readonly limits: Readonly<Partial<Record<Limit, number>>>
  readonly isInteger?: boolean
  readonly initial: unknown
}

/** The fields of a `requestedSchema`; undefined if there are too many to show. */
export function parseFields(schema: JsonObject): readonly FieldSpec[] | undefined {
  const properties = objectOf(schema['properties'])
  const required = new Set(listOf(schema['required']).filter((name) => typeof name === 'string'))
  const names = [...new Set([...Object.keys(properties), ...required])]
  if (names.length > MAX_FIELDS) return undefined
  return names.map((name) => {
    const property = Object.hasOwn(properties, name) ? objectOf(properties[name]) : {}
    const { title, description } = property
    return {
      name,
      label: cut(textOf(title) ?? name, MAX_LABEL_LENGTH),
      ...(textOf(description) && { description: cut(String(description), MAX_DESCRIPTION_LENGTH) }),
      isRequired: required.has(name),
      initial: property['default'],
      options: [],
      limits: {},
      ...specOf(property),
    }
  })
}

const TYPES = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const

function specOf(property: JsonObject): Pick<FieldSpec, 'kind'> & Partial<FieldSpec> {
  const { type, format } = property
  switch (type) {
    case 'boolean':
      return { kind: 'boolean', type: 'checkbox' }
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        type: 'text',
        isInteger: type === 'integer',
        limits: limits(property, 'minimum', 'maximum'),
      }
    case 'array': {
      const options = optionsOf(objectOf(property['items']))
      return options === undefined
        ? UNSUPPORTED
        : { kind: 'choices', type: 'checkbox', options, limits: limits(property, 'minItems', 'maxItems') }
    }
    case 'string':
    case undefined: {
      if (offeredValues(property) !== undefined) {
        const options = optionsOf(property)
        return options === undefined ? UNSUPPORTED : { kind: 'choice', options }
      }
      if (type === undefined) return UNSUPPORTED
      const inputType = Object.entries(TYPES).find(([name]) => name === format)?.[1] ?? 'text'
      return { kind: 'text', type: inputType, limits: limits(property, 'minLength', 'maxLength') }
    }
    default:
      return UNSUPPORTED
  }
}

const UNSUPPORTED = { kind: 'unsupported' } as const

/** The options that are offered, each once; undefined where there are none, too many, or others than texts. */
function optionsOf(schema: JsonObject): FieldSpec['options'] | undefined {
  const values = offeredValues(schema)
  if (values === undefined || values.size > MAX_OPTIONS) return undefined
  const labels = new Map<unknown, unknown>()
  if (Array.isArray(schema['enum'])) {
    const names = listOf(schema['enumNames'])
    for (const [index, value] of schema['enum'].entries()) if (!labels.has(value)) labels.set(value, names[index])
  } else {
    for (const option of listOf(schema['oneOf'] ?? schema['anyOf'])) {
      const { const: value, title } = objectOf(option)
      if (!labels.has(value)) labels.set(value, title)
    }
  }
  const options = [...values].flatMap((value) =>
    typeof value === 'string' ? [{ value, label: cut(textOf(labels.get(value)) ?? value, MAX_LABEL_LENGTH) }] : [],
  )
  return options.length < values.size ? undefined : options
}

function limits(property: JsonObject, ...names: readonly Limit[]): FieldSpec['limits'] {
  return Object.fromEntries(
    names.map((name) => [name, property[name]]).filter(([, limit]) => typeof limit === 'number'),
  )
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
