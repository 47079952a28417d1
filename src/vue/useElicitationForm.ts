import { type ComputedRef, computed, type MaybeRefOrGetter, toValue } from 'vue'
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
import type { ElicitationFormState, ElicitationSource } from '../forms/elicitationForm.js'
import { useSubscription } from './useSubscription.js'

/** What is bound to the `<input>` or `<select>` of a field with `v-bind`. */
export type ElicitationInputProps = ElicitationControlProps<'onInput' | 'onChange'>

/** What {@link useElicitationForm} returns: the state of the form as refs, what can be done with it, and props. */
export type UseElicitationFormResult = ElicitationActions &
  ElicitationProps<ElicitationInputProps> & {
    readonly [Member in keyof ElicitationFormState]-?: ComputedRef<ElicitationFormState[Member]>
  }

/**
 * A form for an input request of `useInputRequests()`: its fields with what is filled in and what is wrong with them, and
 * the state of the answer. What was typed stays while the component does; with `drafts: 'session'` also across a
 * reload. Another input request is another form.
 *
 * @param pending a getter or a ref where it changes
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
  const members = shownMembers(form()).map((name) => [name, computed(() => state.value[name])])
  return {
    ...Object.fromEntries(members),
    ...elicitationActions(form),
    ...elicitationProps(form, 'onInput', 'onChange'),
  }
}
