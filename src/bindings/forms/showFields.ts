import type { ElicitationField, ElicitationFieldAttributes, ElicitationValue } from './elicitationFields.js'
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
    const error = spec.kind === 'unsupported' ? words.unsupported : errors.get(spec.name)
    const known = before?.[index]
    return known !== undefined && isShown(known, value) && known.error === error
      ? known
      : showField(spec, value, error, `${id}-${index}`)
  })
  return before !== undefined && fields.every((field, index) => field === before[index]) ? before : fields
}

/** True if the field shows the value. A choice shows the empty text for one that is chosen, and for none. */
function isShown(field: ElicitationField, value: ElicitationValue): boolean {
  if (field.kind !== 'choice') return field.value === value
  return field.value === (value ?? '') && field.options.some(({ isChosen }) => isChosen) === (value !== undefined)
}

function showField(spec: FieldSpec, value: ElicitationValue, error: string | undefined, id: string): ElicitationField {
  const { kind, name, label, description, isRequired, limits, isInteger, options } = spec
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const described = [...(description === undefined ? [] : [hintId]), ...(error === undefined ? [] : [errorId])]
  const isChosen = (option: string) => (Array.isArray(value) ? value.includes(option) : option === value)
  const field = {
    kind,
    name,
    label,
    ...(description !== undefined && { description }),
    isRequired,
    value: kind === 'choice' ? (value ?? '') : value,
    ...limits,
    ...(isInteger !== undefined && { isInteger }),
    ...(options.length > 0 && {
      options: options.map((option, index) => ({
        ...option,
        isChosen: isChosen(option.value),
        id: index === 0 ? id : `${id}-${index}`,
      })),
    }),
    ...(error !== undefined && { error }),
    id,
    hintId,
    errorId,
    attributes: {
      // Not that of the schema: a control called `elements` would hide the member of its <form>.
      name: id,
      ...attributesOf(spec),
      // A checkbox that is required would have to be ticked; no is an answer, too.
      required: isRequired && spec.type !== 'checkbox',
      'aria-describedby': described.join(' ') || undefined,
      'aria-invalid': error === undefined ? undefined : 'true',
    },
  }
  // `fieldValue` makes the value for the kind, and `parseFields` what else it has.
  return field as ElicitationField
}

function attributesOf({ kind, type, limits, isInteger }: FieldSpec): Partial<ElicitationFieldAttributes> {
  if (type === undefined) return {}
  if (type === 'email' || type === 'url') return { type, autocomplete: type }
  // Keypads for numbers have no minus.
  const isKeypad = kind === 'number' && limits.minimum !== undefined && limits.minimum >= 0
  return isKeypad ? { type, inputmode: isInteger ? 'numeric' : 'decimal' } : { type }
}
