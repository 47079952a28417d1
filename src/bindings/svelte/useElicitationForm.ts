import type { ElicitationForm, ElicitationFormState, ElicitationSource } from '../forms/elicitationForm.js'
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
import { createReader } from './reactive.js'

/** The props to spread into the `<input>` or `<select>` of a field. */
export type ElicitationInputProps = ElicitationControlProps<'oninput' | 'onchange'>

/** The return value of {@link useElicitationForm}: the form, and props. Read its members where you use them. */
export type UseElicitationFormResult = ElicitationFormState &
  ElicitationActions &
  ElicitationProps<ElicitationInputProps>

/**
 * A form for an input request of `useInputRequests()`: its fields with their values and errors, and the state of the
 * answer. The values last as long as the component; with `drafts: 'session'` they survive a reload, too. A different input
 * request gets a new form. Call it during the initialisation of a component.
 *
 * @example
 * ```svelte
 * <script>
 *   const { pending } = $props()
 *   const form = useElicitationForm(() => pending)
 * </script>
 * <form novalidate onsubmit={form.onSubmit}>
 *   {#each form.fields as field (field.name)}
 *     {#if field.kind === 'choice' || field.kind === 'choices'}
 *       <fieldset>
 *         <legend>{field.label}</legend>
 *         {#each field.options as option (option.value)}
 *           <label><input {...form.optionProps(field, option)} /> {option.label}</label>
 *         {/each}
 *         {field.error}
 *       </fieldset>
 *     {:else if field.kind !== 'unsupported'}
 *       <label>{field.label} <input {...form.inputProps(field)} /> {field.error}</label>
 *     {/if}
 *   {/each}
 *   <button type="submit" disabled={!form.canSubmit}>Submit</button>
 * </form>
 * ```
 */
export function useElicitationForm(
  pending: () => ElicitationSource,
  options?: UseElicitationFormOptions,
): UseElicitationFormResult {
  const formOf = elicitationForms(options)
  const form = () => formOf(pending())
  const read = createReader(
    (listener, followed: ElicitationForm) => followed.subscribe(listener),
    (followed) => followed.getState(),
  )
  return extendResult(
    getters(form().getState(), () => read(form())),
    {
      ...elicitationActions(form),
      ...elicitationProps(form, 'oninput', 'onchange'),
    },
  )
}
