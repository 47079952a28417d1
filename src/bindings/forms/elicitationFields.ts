/** One of the answers that a field offers. */
export interface ElicitationOption {
  /** The value that is sent. */
  readonly value: string
  /** The label, as text. */
  readonly label: string
  /** True if it is chosen. */
  readonly isChosen: boolean
  /** For the `id` of its checkbox or radio button. The first one has the id of its field. */
  readonly id: string
}

/** The attributes of HTML that the control of a field has, to be spread into `<input>` or `<select>`. */
export interface ElicitationFieldAttributes {
  /**
   * The `id` of the field. Not its name in the schema, which the server chose: a control called `elements` would hide the
   * member of its `<form>`, and radio buttons of two forms would be one group.
   */
  readonly name: string
  /** The type of an `<input>`. For a number it is `text`, so that the browser keeps a text that is not a number. */
  readonly type?: 'text' | 'email' | 'url' | 'date' | 'datetime-local' | 'checkbox'
  readonly inputmode?: 'numeric' | 'decimal'
  readonly autocomplete?: 'email' | 'url' | 'off'
  readonly required: boolean
  /** The ids of the description and of the error, where there are any. */
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}

interface FieldBase {
  /** Its name in `requestedSchema`. The server chose it: `__proto__` is possible. */
  readonly name: string
  /** The title, or the name where the server gives none. Text of the server: render it as text. */
  readonly label: string
  /** Text of the server. */
  readonly description?: string
  readonly isRequired: boolean
  /** The error of the field, in words for the user. Shown under {@link errorId}. */
  readonly error?: string
  /** For the control and the `for` of its label. */
  readonly id: string
  /** For the element that holds the description. */
  readonly hintId: string
  /** For the element that holds the error. */
  readonly errorId: string
  readonly attributes: ElicitationFieldAttributes
}

/** A line of text, an address, a date, or a date with a time. */
export interface ElicitationTextField extends FieldBase {
  readonly kind: 'text'
  /** As it was typed. A date and a time are those of the user's own time zone. */
  readonly value: string
  /** In characters. */
  readonly minLength?: number
  /** In characters. */
  readonly maxLength?: number
}

/** A number. */
export interface ElicitationNumberField extends FieldBase {
  readonly kind: 'number'
  /** As it was typed. */
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
  /** The value of the option; empty where none is chosen. */
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
 * A field that the specification does not allow in a form. It is not sent; if it is required, the form can only be declined.
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
