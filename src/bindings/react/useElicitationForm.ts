import { useId, useState, useSyncExternalStore } from 'react'
import { createElicitationForm } from '../forms/createElicitationForm.js'
import type { ElicitationFormState, ElicitationSource } from '../forms/elicitationForm.js'
import {
  type ElicitationActions,
  type ElicitationControlProps,
  type ElicitationProps,
  elicitationProps,
  isSameRequest,
  type UseElicitationFormOptions,
} from '../shared/elicitation.js'

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
  /** Handles the change event of an `<input>` or a `<select>`. */
  readonly onChange: (event: { readonly target: { readonly value: string; readonly checked?: boolean } }) => void
}

type Target = Parameters<ElicitationInputProps['onChange']>[0]['target']

/** The return value of {@link useElicitationForm}: the state of the form, its actions, and props. */
export interface UseElicitationFormResult
  extends ElicitationFormState,
    ElicitationActions,
    ElicitationProps<ElicitationInputProps> {}

/**
 * A form for an input request of `useInputRequests()`: its fields with their values and errors, and the state of the
 * answer. The values last as long as the component; with `drafts: 'session'` they survive a reload, too. A different input
 * request gets a new form.
 *
 * @example
 * ```tsx
 * const form = useElicitationForm(pending)
 * return (
 *   <form noValidate onSubmit={form.onSubmit}>
 *     {form.fields.map((field) => {
 *       switch (field.kind) {
 *         case 'choice':
 *         case 'choices':
 *           return (
 *             <fieldset key={field.name}>
 *               <legend>{field.label}</legend>
 *               {field.options.map((option) => (
 *                 <label key={option.value}>
 *                   <input {...form.optionProps(field, option)} /> {option.label}
 *                 </label>
 *               ))}
 *               {field.error}
 *             </fieldset>
 *           )
 *         case 'unsupported':
 *           return null
 *         default:
 *           return (
 *             <label key={field.name}>
 *               {field.label} <input {...form.inputProps(field)} /> {field.error}
 *             </label>
 *           )
 *       }
 *     })}
 *     <button type="submit" disabled={!form.canSubmit}>Submit</button>
 *   </form>
 * )
 * ```
 */
export function useElicitationForm(
  pending: ElicitationSource,
  options: UseElicitationFormOptions = {},
): UseElicitationFormResult {
  const id = useId()
  const create = () => ({ pending, form: createElicitationForm(pending, { ...options, id }) })
  const [held, hold] = useState(create)
  let current = held
  if (!isSameRequest(held.pending, pending)) {
    current = create()
    hold(current)
  }
  const { form } = current
  const { getState, subscribe, ...actions } = form
  const state = useSyncExternalStore(subscribe, getState, getState)
  const { inputProps, optionProps } = elicitationProps<'onChange', Target>(() => form, 'onChange', 'onChange')
  return {
    ...state,
    ...actions,
    inputProps: (field) => inReact(inputProps(field)),
    optionProps: (field, option) => inReact(optionProps(field, option)),
  }
}

/** React has names of its own for some attributes, and calls `onChange` for what is typed, too. */
function inReact({ inputmode, autocomplete, ...rest }: ElicitationControlProps<'onChange', Target>) {
  return {
    ...rest,
    ...(inputmode && { inputMode: inputmode }),
    ...(autocomplete && { autoComplete: autocomplete }),
  } as ElicitationInputProps
}
