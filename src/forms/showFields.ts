import type { ElicitationField, ElicitationFieldAttributes, ElicitationOption } from './elicitationFields.js'
import type { FieldSpec } from './parseFields.js'
import type { FieldValues } from './values.js'
import type { Words } from './words.js'

export interface ShownFieldsInput {
  readonly specs: readonly FieldSpec[]
  readonly values: FieldValues
  readonly errors: ReadonlyMap<string, string>
  /** What the ids of the elements begin with. */
  readonly id: string
  readonly words: Words
}

/** The fields as they are shown. One that has not changed is that of before, and so is the list. */
export function showFields(
  { specs, values, errors, id, words }: ShownFieldsInput,
  before: readonly ElicitationField[] | undefined,
): readonly ElicitationField[] {
  const fields = specs.map((spec, index) => {
    const value = values.get(spec.name)
    const error = spec.kind === 'unsupported' ? words.of('unsupported') : errors.get(spec.name)
    const known = before?.[index]
    return known !== undefined && known.value === value && known.error === error
      ? known
      : showField(spec, value, error, `${id}-${index}`)
  })
  return before !== undefined && fields.every((field, index) => field === before[index]) ? before : fields
}

function showField(spec: FieldSpec, value: unknown, error: string | undefined, id: string): ElicitationField {
  const { kind, name, label, description, isRequired, minimum, maximum } = spec
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const described = [description !== undefined && hintId, error !== undefined && errorId].filter((one) => one !== false)
  const field = {
    name,
    label,
    isRequired,
    id,
    hintId,
    errorId,
    ...(description !== undefined && { description }),
    ...(error !== undefined && { error }),
    attributes: {
      name,
      ...attributesOf(spec),
      // A checkbox that is required would have to be ticked; no is an answer, too.
      required: isRequired && spec.type !== 'checkbox',
      'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
      'aria-invalid': error === undefined ? undefined : 'true',
    },
  } as const
  const options = (): readonly ElicitationOption[] =>
    spec.options.map((option, index) => ({
      ...option,
      id: index === 0 ? id : `${id}-${index}`,
      isChosen: Array.isArray(value) ? value.includes(option.value) : option.value === value,
    }))
  switch (kind) {
    case 'text':
      return { ...field, kind, value: String(value), ...limits('minLength', 'maxLength') }
    case 'number':
      return {
        ...field,
        kind,
        value: String(value),
        isInteger: spec.isInteger === true,
        ...limits('minimum', 'maximum'),
      }
    case 'boolean':
      return { ...field, kind, value: value === true }
    case 'choice':
      return { ...field, kind, value: String(value), options: options() }
    case 'choices':
      return {
        ...field,
        kind,
        value: value as readonly string[],
        options: options(),
        ...limits('minItems', 'maxItems'),
      }
    case 'unsupported':
      return { ...field, kind, value: undefined }
  }

  function limits<Low extends string, High extends string>(low: Low, high: High): Partial<Record<Low | High, number>> {
    const found = {
      ...(minimum !== undefined && { [low]: minimum }),
      ...(maximum !== undefined && { [high]: maximum }),
    }
    return found as Partial<Record<Low | High, number>>
  }
}

function attributesOf({ kind, type, minimum, isInteger }: FieldSpec): Partial<ElicitationFieldAttributes> {
  if (type === undefined) return {}
  if (type === 'email' || type === 'url') return { type, autocomplete: type }
  // Keypads for numbers have no minus.
  if (kind === 'number' && minimum !== undefined && minimum >= 0) {
    return { type, inputmode: isInteger ? 'numeric' : 'decimal' }
  }
  return { type }
}
