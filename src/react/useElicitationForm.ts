import { useId, useState, useSyncExternalStore } from 'react'
import { createElicitationForm } from '../forms/createElicitationForm.js'
import type { ElicitationField, ElicitationOption } from '../forms/elicitationFields.js'
import type {
  ElicitationForm,
  ElicitationFormOptions,
  ElicitationFormState,
  ElicitationSource,
} from '../forms/elicitationForm.js'

/** The props of the `<input>` or `<select>` of a field. */
export interface ElicitationInputProps {
  readonly id: string
  readonly name: string
  readonly type?: string
  readonly inputMode?: 'numeric' | 'decimal'
  readonly autoComplete?: string
  readonly required: boolean
  readonly value?: string
  readonly checked?: boolean
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void
}

/** What {@link useElicitationForm} returns: the state of the form, what can be done with it, and props. */
export interface UseElicitationFormResult
  extends ElicitationFormState,
    Omit<ElicitationForm, 'getState' | 'subscribe'> {
  /** For the `<input>` of a field, or the `<select>` of a choice. */
  readonly inputProps: (field: ElicitationField) => ElicitationInputProps
  /** For the checkbox of one option of `choices`, or the radio button of one of a `choice`. */
  readonly optionProps: (field: ElicitationField, option: ElicitationOption) => ElicitationInputProps
}

/**
 * A form for an input request of `useInputRequests()`: its fields with what is filled in and what is wrong with them, and
 * the state of the answer. What was typed stays while the component does; with `drafts: 'session'` also across a
 * reload. Another input request is another form.
 *
 * @example
 * ```tsx
 * const form = useElicitationForm(pending)
 * return (
 *   <form noValidate onSubmit={form.onSubmit}>
 *     {form.fields.map((field) => (
 *       <label key={field.name}>
 *         {field.label} <input {...form.inputProps(field)} /> {field.error}
 *       </label>
 *     ))}
 *     <button disabled={!form.canSubmit}>Submit</button>
 *   </form>
 * )
 * ```
 */
export function useElicitationForm(
  pending: ElicitationSource,
  options: Omit<ElicitationFormOptions, 'id'> = {},
): UseElicitationFormResult {
  const id = useId()
  const create = () => ({ pending, form: createElicitationForm(pending, { ...options, id }) })
  const [held, hold] = useState(create)
  let current = held
  if (!isSame(held.pending, pending)) {
    current = create()
    hold(current)
  }
  const { form } = current
  const { getState, subscribe, ...actions } = form
  const state = useSyncExternalStore(subscribe, getState, getState)
  return { ...state, ...actions, inputProps: inputProps(form), optionProps: optionProps(form) }
}

/** True if both are the same input request of the same call. */
function isSame(a: ElicitationSource, b: ElicitationSource): boolean {
  return a.client === b.client && a.callId === b.callId && a.inputKey === b.inputKey && a.request === b.request
}

function inputProps(form: ElicitationForm): UseElicitationFormResult['inputProps'] {
  return (field) => ({
    ...sharedProps(field),
    id: field.id,
    ...(field.kind === 'boolean' && { checked: field.value }),
    ...(typeof field.value === 'string' && { value: field.value }),
    onChange: ({ target }) => form.set(field.name, field.kind === 'boolean' ? !field.value : target.value),
  })
}

function optionProps(form: ElicitationForm): UseElicitationFormResult['optionProps'] {
  return (field, { id, value, isChosen }) => ({
    ...sharedProps(field),
    id,
    value,
    checked: isChosen,
    ...(field.kind === 'choice' && { type: 'radio' }),
    onChange: () => (field.kind === 'choice' ? form.set(field.name, value) : form.toggle(field.name, value)),
  })
}

function sharedProps({ attributes }: ElicitationField) {
  const { inputmode, autocomplete, ...rest } = attributes
  return {
    ...rest,
    ...(inputmode && { inputMode: inputmode }),
    ...(autocomplete && { autoComplete: autocomplete }),
  }
}
