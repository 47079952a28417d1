import { type Accessor, createComputed, createMemo } from 'solid-js'
import { createStore, reconcile } from 'solid-js/store'
import {
  type ElicitationActions,
  type ElicitationControlProps,
  type ElicitationProps,
  elicitationActions,
  elicitationForms,
  elicitationProps,
  shownMembers,
  type UseElicitationFormOptions,
} from '../bindings/elicitation.js'
import { extendResult, getters } from '../bindings/extendResult.js'
import type { ElicitationFormState, ElicitationSource } from '../forms/elicitationForm.js'
import { createSubscription } from './createSubscription.js'

/** What is spread into the `<input>` or `<select>` of a field. */
export type ElicitationInputProps = ElicitationControlProps<'onInput' | 'onChange'>

/** What {@link useElicitationForm} returns: the form, and props. Read its members where they are used. */
export type UseElicitationFormResult = ElicitationFormState &
  ElicitationActions &
  ElicitationProps<ElicitationInputProps>

/**
 * A form for an input request of `useInputRequests()`: its fields with what is filled in and what is wrong with them, and
 * the state of the answer. What was typed stays while the component does; with `drafts: 'session'` also across a
 * reload. Another input request is another form. Show the requests with `<Index>`: each change of a call makes its requests
 * anew, for which `<For>` would make new components. `fields` are those of a store, which `<For>` shows.
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
  const form = createMemo(() => formOf(pending()))
  const state = createSubscription(
    (listener) => form().subscribe(listener),
    () => form().getState(),
    form().getState(),
  )
  // Fields stay the same while their values change, and so do their elements.
  const [shown, setShown] = createStore({ ...state() })
  createComputed(() => setShown(reconcile(state(), { key: 'name' })))
  return extendResult(
    getters(shownMembers(form()), () => shown),
    { ...elicitationActions(form), ...elicitationProps(form, 'onInput', 'onChange') },
  )
}
