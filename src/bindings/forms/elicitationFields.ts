/** One of the answers that a field offers. */
export interface ElicitationOption {
  /** The value that the form sends. */
  readonly value: string
  /** The label, as text. */
  readonly label: string
  /** True if the user has chosen the option. */
  readonly isChosen: boolean
  /** The `id` for its checkbox or radio button. The first option has the id of its field. */
  readonly id: string
}

/** The HTML attributes of a field's control, to be spread into `<input>` or `<select>`. */
export interface ElicitationFieldAttributes {
  /**
   * The `id` of the field, not its name in the schema. The server chose that name: a control called `elements` would hide
   * the member of its `<form>`, and outside a `<form>`, radio buttons of two input requests would become one group.
   */
  readonly name: string
  /** The type of an `<input>`. For a number it is `text`, so that the browser keeps input that is not a number. */
  readonly type?: 'text' | 'email' | 'url' | 'date' | 'datetime-local' | 'checkbox'
  readonly inputmode?: 'numeric' | 'decimal'
  readonly autocomplete?: 'email' | 'url' | 'off'
  readonly required: boolean
  /** The ids of the description and of the error, if there are any. */
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}

interface FieldBase {
  /** Its name in `requestedSchema`. The server chose it: `__proto__` is possible. */
  readonly name: string
  /** The title, or the name if the server gives no title. It comes from the server: render it as text. */
  readonly label: string
  /** The description. It comes from the server: render it as text. */
  readonly description?: string
  readonly isRequired: boolean
  /** The error of the field, in words for the user. Show it in the element with the id {@link errorId}. */
  readonly error?: string
  /** The id for the control, and for the `for` of its label. */
  readonly id: string
  /** The id for the element that holds the description. */
  readonly hintId: string
  /** The id for the element that holds the error. */
  readonly errorId: string
  readonly attributes: ElicitationFieldAttributes
}

/** A line of text, an address, a date, or a date with a time. */
export interface ElicitationTextField extends FieldBase {
  readonly kind: 'text'
  /** The text as the user typed it. A date and a time are in the user's own time zone. */
  readonly value: string
  /** In characters. */
  readonly minLength?: number
  /** In characters. */
  readonly maxLength?: number
}

/** A number. */
export interface ElicitationNumberField extends FieldBase {
  readonly kind: 'number'
  /** The text as the user typed it. */
  readonly value: string
  readonly isInteger: boolean
  readonly minimum?: number
  readonly maximum?: number
}

/** Yes or no. */
export interface ElicitationBooleanField extends FieldBase {
  readonly kind: 'boolean'
  readonly value: boolean
}

/** One of several options. */
export interface ElicitationChoiceField extends FieldBase {
  readonly kind: 'choice'
  /** The value of the chosen option; empty if the user has not chosen one. */
  readonly value: string
  readonly options: readonly ElicitationOption[]
}

/** Any number of several options. */
export interface ElicitationChoicesField extends FieldBase {
  readonly kind: 'choices'
  /** The values of the options, in their order. */
  readonly value: readonly string[]
  readonly options: readonly ElicitationOption[]
  readonly minItems?: number
  readonly maxItems?: number
}

/**
 * A field that the specification does not allow in a form. The form does not send it. If the field is required, the user
 * can only decline the form.
 */
export interface ElicitationUnsupportedField extends FieldBase {
  readonly kind: 'unsupported'
  readonly value: undefined
}

/** A field of a form, with what the user has filled in. `kind` says how to show it. */
export type ElicitationField =
  | ElicitationTextField
  | ElicitationNumberField
  | ElicitationBooleanField
  | ElicitationChoiceField
  | ElicitationChoicesField
  | ElicitationUnsupportedField

/** The value of a field. */
export type ElicitationValue = ElicitationField['value']
