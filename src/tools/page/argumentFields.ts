import { isJsonObject, type JsonObject, parseJson } from '../../core/protocol/json.js'
import type { Tool } from '../../core/protocol/tool.js'
import { create } from './elements.js'

/** The fields for the arguments of a tool. */
export interface ArgumentFields {
  readonly elements: readonly Element[]
  /** What is filled in; undefined where a field is wrong, which says so to the user. */
  read(): JsonObject | undefined
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

interface Field {
  readonly name: string
  readonly element: Element
  /** Undefined: nothing is filled in. Throws what is wrong. */
  readonly read: () => unknown
  readonly control: Control
}

/** Where a schema without properties says which arguments there are. */
const ELSEWHERE = ['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties', 'additionalProperties'] as const

/**
 * Fields for what JSON Schema says about the arguments: a control for each text, number, choice and truth value, and JSON for the
 * rest, such as all arguments where one set of them or another is taken. The server checks what it gets.
 */
export function argumentFields({ inputSchema }: Pick<Tool, 'inputSchema'>): ArgumentFields {
  const { properties, required } = inputSchema
  const names = Array.isArray(required) ? required : []
  const schemas = Object.entries(isJsonObject(properties) ? properties : {})
  const isWhole = schemas.length === 0 && ELSEWHERE.some((word) => inputSchema[word])
  const fields = isWhole
    ? [fieldOf('Arguments', { type: 'object' }, false, 'arguments')]
    : schemas.map(([name, schema], index) =>
        fieldOf(name, isJsonObject(schema) ? schema : {}, names.includes(name), `argument-${index}`),
      )
  return {
    elements: fields.map(({ element }) => element),
    read() {
      const entries: [string, unknown][] = []
      for (const { name, read, control } of fields) {
        control.setCustomValidity('')
        try {
          const value = read()
          if (isWhole) entries.push(...Object.entries(isJsonObject(value) ? value : {}))
          else if (value !== undefined) entries.push([name, value])
        } catch (error) {
          control.setCustomValidity(error instanceof Error ? error.message : String(error))
        }
        if (!control.reportValidity()) return undefined
      }
      return Object.fromEntries(entries)
    },
  }
}

function fieldOf(name: string, schema: JsonObject, isRequired: boolean, id: string): Field {
  const { title, description } = schema
  const hintId = `${id}-hint`
  const hint = typeof description === 'string' ? description : undefined
  const { control, read, note } = controlOf(schema, isRequired)
  control.id = id
  control.required = isRequired
  if (hint !== undefined) control.setAttribute('aria-describedby', hintId)
  control.addEventListener('input', () => control.setCustomValidity(''))
  const optional = [note, isRequired ? undefined : 'optional'].filter((word) => word !== undefined).join(', ')
  const label = create('label', { for: id }, typeof title === 'string' ? title : name)
  if (optional !== '') label.append(create('span', {}, ` (${optional})`))
  const element = create('div', { class: 'field' }, label, control)
  if (hint !== undefined) element.append(create('p', { id: hintId }, hint))
  return { name, element, read, control }
}

interface Input {
  readonly control: Control
  readonly read: () => unknown
  readonly note?: string
}

function controlOf(schema: JsonObject, isRequired: boolean): Input {
  const { type, enum: choices } = schema
  if (Array.isArray(choices)) return choice(choices, schema['default'], isRequired)
  if (type === 'boolean') return choice([true, false], schema['default'], isRequired)
  if (type === 'number' || type === 'integer') return number(schema)
  return type === 'string' ? text(schema) : json(schema)
}

function choice(values: readonly unknown[], preset: unknown, isRequired: boolean): Input {
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const options = values.map((value, index) => create('option', { value: index }, shown(value)))
  const control = create(
    'select',
    {},
    ...(isRequired ? [] : [create('option', { value: '' }, 'not given')]),
    ...options,
  )
  const at = values.indexOf(preset)
  control.value = at >= 0 ? String(at) : isRequired ? '0' : ''
  return { control, read: () => (control.value === '' ? undefined : values[Number(control.value)]) }
}

function number({ type, minimum, maximum, default: preset }: JsonObject): Input {
  const step = type === 'integer' ? 1 : 'any'
  const control = create('input', { type: 'number', step, min: minimum, max: maximum, value: preset })
  return { control, read: () => (control.value === '' ? undefined : control.valueAsNumber) }
}

function text({ minLength, maxLength, default: preset }: JsonObject): Input {
  const control = create('textarea', { rows: 1, minlength: minLength, maxlength: maxLength, spellcheck: 'false' })
  if (typeof preset === 'string') control.value = preset
  return { control, read: () => (control.value === '' && !control.required ? undefined : control.value) }
}

function json({ type, default: preset }: JsonObject): Input {
  const empty = type === 'array' ? '[]' : type === 'object' ? '{}' : ''
  const control = create('textarea', { rows: 2, spellcheck: 'false', placeholder: empty })
  if (preset !== undefined) control.value = JSON.stringify(preset)
  const read = () => {
    if (control.value.trim() === '') return undefined
    const value = parseJson(control.value)
    if (value === undefined || (type === 'object' && !isJsonObject(value))) {
      throw new Error(
        `This is not ${type === 'object' ? 'a JSON object' : 'JSON'}.${empty === '' ? '' : ` It may look like ${empty}`}`,
      )
    }
    return value
  }
  return { control, read, note: 'JSON' }
}
