import { type MaybeRefOrGetter, toValue } from 'vue'
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
import { type RefsOf, refsOf } from './refsOf.js'
import { useSubscription } from './useSubscription.js'

/** The props to bind to the `<input>` or `<select>` of a field with `v-bind`. */
export type ElicitationInputProps = ElicitationControlProps<'onInput' | 'onChange'>

/** The return value of {@link useElicitationForm}: the state of the form as refs, its actions, and props. */
export type UseElicitationFormResult = ElicitationActions &
  ElicitationProps<ElicitationInputProps> &
  RefsOf<ElicitationFormState>

/**
 * A form for an input request of `useInputRequests()`: its fields with their values and errors, and the state of the
 * answer. The values last as long as the component; with `drafts: 'session'` they survive a reload, too. A different input
 * request gets a new form.
 *
 * @param pending a getter or a ref, if the request can change
 *
 * @example
 * ```ts
 * const { fields, canSubmit, inputProps, optionProps, onSubmit } = useElicitationForm(() => props.pending)
 * // <form novalidate @submit="onSubmit">
 * //   <template v-for="field in fields" :key="field.name">
 * //     <fieldset v-if="field.kind === 'choice' || field.kind === 'choices'">
 * //       <legend>{{ field.label }}</legend>
 * //       <label v-for="option in field.options" :key="option.value">
 * //         <input v-bind="optionProps(field, option)" /> {{ option.label }}
 * //       </label>
 * //       {{ field.error }}
 * //     </fieldset>
 * //     <label v-else-if="field.kind !== 'unsupported'">
 * //       {{ field.label }} <input v-bind="inputProps(field)" /> {{ field.error }}
 * //     </label>
 * //   </template>
 * //   <button type="submit" :disabled="!canSubmit">Submit</button>
 * // </form>
 * ```
 */
export function useElicitationForm(
  pending: MaybeRefOrGetter<ElicitationSource>,
  options?: UseElicitationFormOptions,
): UseElicitationFormResult {
  const formOf = elicitationForms(options)
  const form = () => formOf(toValue(pending))
  const state = useSubscription(
    [form],
    (listener) => form().subscribe(listener),
    () => form().getState(),
    form().getState(),
  )
  return {
    ...refsOf(form().getState(), () => state.value),
    ...elicitationActions(form),
    ...elicitationProps(form, 'onInput', 'onChange'),
  }
}
