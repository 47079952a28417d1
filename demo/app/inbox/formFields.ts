/** A field of a form that a server asks for: the part of JSON Schema that elicitation allows. */
export type FormField =
  | {
      readonly kind: 'text'
      readonly type: 'text' | 'email' | 'url' | 'date'
      readonly minLength?: number
      readonly maxLength?: number
    }
  | { readonly kind: 'number'; readonly step: 'any' | 1; readonly min?: number; readonly max?: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice' | 'choices'; readonly options: readonly Option[] }

export interface Option {
  readonly value: string
  readonly label: string
}

export interface NamedField {
  readonly name: string
  readonly label: string
  readonly description: string | undefined
  readonly isRequired: boolean
  readonly initial: unknown
  readonly field: FormField
}

type Schema = Readonly<Record<string, unknown>>

const INPUT_TYPES = { email: 'email', uri: 'url', date: 'date' } as const

/** The fields that a `requestedSchema` stands for. It comes from the server: what is unknown is skipped. */
export function formFields(schema: Schema): NamedField[] {
  const required = list(schema['required'])
  return Object.entries(record(schema['properties'])).flatMap(([name, value]) => {
    const property = record(value)
    const field = fieldOf(property)
    if (field === undefined) return []
    const { title, description } = property
    return [
      {
        name,
        label: typeof title === 'string' ? title : name,
        description: typeof description === 'string' ? description : undefined,
        isRequired: required.includes(name),
        initial: property['default'],
        field,
      },
    ]
  })
}

/** What the user has filled in, in the types that the schema asks for. Empty fields are left out. */
export function formContent(
  fields: readonly NamedField[],
  form: HTMLFormElement,
): Record<string, string | number | boolean | string[]> {
  const data = new FormData(form)
  const entries = fields.flatMap(({ name, field }): [string, string | number | boolean | string[]][] => {
    if (field.kind === 'boolean') return [[name, data.has(name)]]
    if (field.kind === 'choices') return [[name, data.getAll(name).map(String)]]
    const value = String(data.get(name) ?? '')
    if (field.kind === 'number' && isUnreadable(form, name)) return [[name, Number.NaN]]
    if (value === '') return []
    return [[name, field.kind === 'number' ? Number(value) : value]]
  })
  return Object.fromEntries(entries)
}

/** True if something is typed that the browser can make no number of: its value is empty all the same. */
function isUnreadable(form: HTMLFormElement, name: string): boolean {
  const input = form.elements.namedItem(name)
  return input instanceof HTMLInputElement && input.validity.badInput
}

function fieldOf(property: Schema): FormField | undefined {
  const { type, format, minimum, maximum, minLength, maxLength } = property
  if (type === 'boolean') return { kind: 'boolean' }
  if (type === 'number' || type === 'integer') {
    const step = type === 'integer' ? 1 : 'any'
    return {
      kind: 'number',
      step,
      ...(isNumber(minimum) && { min: minimum }),
      ...(isNumber(maximum) && { max: maximum }),
    }
  }
  if (type === 'array') return { kind: 'choices', options: optionsOf(record(property['items'])) }
  if (type !== 'string') return undefined
  const options = optionsOf(property)
  if (options.length > 0) return { kind: 'choice', options }
  const inputType = Object.entries(INPUT_TYPES).find(([name]) => name === format)?.[1] ?? 'text'
  return {
    kind: 'text',
    type: inputType,
    ...(isNumber(minLength) && { minLength }),
    ...(isNumber(maxLength) && { maxLength }),
  }
}

/** `enum`, with or without `enumNames`, or titled constants under `oneOf` or `anyOf`. */
function optionsOf(schema: Schema): Option[] {
  const names = list(schema['enumNames'])
  const plain = list(schema['enum']).map((value, index) => ({
    value: String(value),
    label: String(names[index] ?? value),
  }))
  const titled = [...list(schema['oneOf']), ...list(schema['anyOf'])].map((value) => {
    const { const: constant, title } = record(value)
    return { value: String(constant), label: String(title ?? constant) }
  })
  return [...plain, ...titled]
}

function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
