import { type Accessor, createComputed, createMemo } from 'solid-js'
import { createStore, reconcile } from 'solid-js/store'
import type { ElicitationFormState, ElicitationSource } from '../forms/elicitationForm.js'
import {
  type ElicitationActions,
  type ElicitationControlProps,
  type ElicitationProps,
  elicitationActions,
  elicitationForms,
  elicitationProps,
  type UseElicitationFormOptions,
} from '../shared/elicitation.js'
import { extendResult, getters } from '../shared/extendResult.js'
import { createSubscription } from './createSubscription.js'

/** The props to spread into the `<input>` or `<select>` of a field. */
export type ElicitationInputProps = ElicitationControlProps<'onInput' | 'onChange'>

/** The return value of {@link useElicitationForm}: the form, and props. Read its members where you use them. */
export type UseElicitationFormResult = ElicitationFormState &
  ElicitationActions &
  ElicitationProps<ElicitationInputProps>

/**
 * A form for an input request of `useInputRequests()`: its fields with their values and errors, and the state of the
 * answer. The values last as long as the component; with `drafts: 'session'` they survive a reload, too. A different input
 * request gets a new form. Show the requests with `<For>`: `<Index>` would give the `<input>` that the user types into to
 * the next request when this one is answered elsewhere. Show `fields` with `<For>`, too: they are part of a store.
 *
 * @example
 * ```tsx
 * const form = useElicitationForm(() => props.pending)
 * return (
 *   <form noValidate onSubmit={form.onSubmit}>
 *     <For each={form.fields}>
 *       {(field) => (
 *         <Switch>
 *           <Match when={(field.kind === 'choice' || field.kind === 'choices') && field}>
 *             {(asked) => (
 *               <fieldset>
 *                 <legend>{field.label}</legend>
 *                 <For each={asked().options}>
 *                   {(option) => (
 *                     <label>
 *                       <input {...form.optionProps(asked(), option)} /> {option.label}
 *                     </label>
 *                   )}
 *                 </For>
 *                 {field.error}
 *               </fieldset>
 *             )}
 *           </Match>
 *           <Match when={(field.kind === 'text' || field.kind === 'number' || field.kind === 'boolean') && field}>
 *             {(asked) => (
 *               <label>
 *                 {field.label} <input {...form.inputProps(asked())} /> {field.error}
 *               </label>
 *             )}
 *           </Match>
 *         </Switch>
 *       )}
 *     </For>
 *     <button type="submit" disabled={!form.canSubmit}>Submit</button>
 *   </form>
 * )
 * ```
 */
export function useElicitationForm(
  pending: Accessor<ElicitationSource>,
  options?: UseElicitationFormOptions,
): UseElicitationFormResult {
  const formOf = elicitationForms(options)
  // A copy, as the members of an input request change with its call.
  const form = createMemo(() => formOf({ ...pending() }))
  const state = createSubscription(
    (listener) => form().subscribe(listener),
    () => form().getState(),
    form().getState(),
  )
  // Fields stay the same while their values change, and so do their elements.
  const [shown, setShown] = createStore({ ...state() })
  createComputed(() => setShown(reconcile(state(), { key: 'name' })))
  return extendResult(
    getters(form().getState(), () => shown),
    { ...elicitationActions(form), ...elicitationProps(form, 'onInput', 'onChange') },
  )
}
