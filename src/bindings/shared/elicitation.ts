import { createElicitationForm } from '../forms/createElicitationForm.js'
import type {
  ElicitationBooleanField,
  ElicitationChoiceField,
  ElicitationChoicesField,
  ElicitationFieldAttributes,
  ElicitationNumberField,
  ElicitationOption,
  ElicitationTextField,
} from '../forms/elicitationFields.js'
import type { ElicitationForm, ElicitationFormOptions, ElicitationSource } from '../forms/elicitationForm.js'

/** The options of `useElicitationForm`, the same in every framework. The hook chooses the ids of the elements. */
export type UseElicitationFormOptions = Omit<ElicitationFormOptions, 'id'>

/** The actions of a form. */
export type ElicitationActions = Omit<ElicitationForm, 'getState' | 'subscribe'>

/** The props of a field's control: HTML attributes, its value, and a listener named `TListener`. */
export type ElicitationControlProps<TListener extends string, TTarget = EventTarget | null> = Omit<
  ElicitationFieldAttributes,
  'type'
> & {
  readonly type?: ElicitationFieldAttributes['type'] | 'radio'
  readonly id: string
  readonly value?: string
  readonly checked?: boolean
} & { readonly [Name in TListener]?: (event: { readonly target: TTarget }) => void }

/** A field with a single control. */
export type ElicitationInputField =
  | ElicitationTextField
  | ElicitationNumberField
  | ElicitationBooleanField
  | ElicitationChoiceField

/** A field with options. */
export type ElicitationOptionField = ElicitationChoiceField | ElicitationChoicesField

/** Functions that make the props of the controls of a form. */
export interface ElicitationProps<TProps> {
  /**
   * Returns the props for the `<input>` of a field, or for the `<select>` of a `choice`. Check the `kind` of the field
   * first: the types require that.
   */
  readonly inputProps: (field: ElicitationInputField) => TProps
  /** Returns the props for the checkbox of one option of `choices`, or for the radio button of one option of a `choice`. */
  readonly optionProps: (field: ElicitationOptionField, option: ElicitationOption) => TProps
}

/** True if both are the same input request of the same call. */
export function isSameRequest(a: ElicitationSource, b: ElicitationSource): boolean {
  return a.client === b.client && a.callId === b.callId && a.inputKey === b.inputKey && a.request === b.request
}

let made = 0

/** The form of an input request: the same one until it is another request, however often its call changes. */
export function elicitationForms(options?: UseElicitationFormOptions): (pending: ElicitationSource) => ElicitationForm {
  const id = `taskwire-form-${++made}`
  let held: { pending: ElicitationSource; form: ElicitationForm } | undefined
  return (pending) => {
    if (held === undefined || !isSameRequest(held.pending, pending)) {
      held = { pending, form: createElicitationForm(pending, { ...options, id }) }
    }
    return held.form
  }
}

/** Actions of the form that is there when they are called: a listener of an element outlives a form. */
export function elicitationActions(form: () => ElicitationForm): ElicitationActions {
  const { getState, subscribe, ...actions } = form()
  const names = Object.keys(actions) as (keyof ElicitationActions)[]
  const called = names.map((name) => [name, (...args: [never, never]) => form()[name](...args)])
  return Object.fromEntries(called)
}

/** What makes the props; `onInput` and `onChange` are the names under which the framework takes listeners. */
export function elicitationProps<TListener extends string, TTarget = EventTarget | null>(
  form: () => ElicitationForm,
  onInput: TListener,
  onChange: TListener,
): ElicitationProps<ElicitationControlProps<TListener, TTarget>> {
  type Props = ElicitationControlProps<TListener, TTarget>
  return {
    inputProps: ({ attributes, id, kind, name, value }) => {
      const isBoolean = kind === 'boolean'
      return {
        ...attributes,
        id,
        [isBoolean ? 'checked' : 'value']: value,
        [kind === 'text' || kind === 'number' ? onInput : onChange]: ({ target }: { target: HTMLInputElement }) =>
          form().set(name, isBoolean ? target.checked : target.value),
      } as unknown as Props
    },
    optionProps: ({ attributes, kind, name }, { id, value, isChosen }) => {
      const isOne = kind === 'choice'
      return {
        ...attributes,
        id,
        value,
        checked: isChosen,
        ...(isOne && { type: 'radio' }),
        [onChange]: () => form()[isOne ? 'set' : 'toggle'](name, value),
      } as unknown as Props
    },
  }
}
