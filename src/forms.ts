/**
 * Forms for input requests without a framework: fields, errors in words and the state of the response.
 *
 * @packageDocumentation
 */

export { createElicitationForm } from './bindings/forms/createElicitationForm.js'
export type { DraftStorage } from './bindings/forms/drafts.js'
export type {
  ElicitationBooleanField,
  ElicitationChoiceField,
  ElicitationChoicesField,
  ElicitationField,
  ElicitationFieldAttributes,
  ElicitationNumberField,
  ElicitationOption,
  ElicitationTextField,
  ElicitationUnsupportedField,
  ElicitationValue,
} from './bindings/forms/elicitationFields.js'
export type {
  ElicitationForm,
  ElicitationFormOptions,
  ElicitationFormState,
  ElicitationSource,
  SubmitEventLike,
} from './bindings/forms/elicitationForm.js'
export type { WebAddress } from './bindings/forms/webAddress.js'
export type { ElicitationWords } from './bindings/forms/words.js'
export type { FormProblemCode } from './core/protocol/formProblems.js'
