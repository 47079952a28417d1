/**
 * Forms for input requests without a framework: fields, errors in words and the state of the response.
 *
 * @packageDocumentation
 */
export type { FormProblemCode } from '../protocol/formProblems.js'
export { createElicitationForm } from './createElicitationForm.js'
export type { DraftStorage } from './drafts.js'
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
} from './elicitationFields.js'
export type {
  ElicitationForm,
  ElicitationFormOptions,
  ElicitationFormState,
  ElicitationSource,
  SubmitEventLike,
} from './elicitationForm.js'
export type { WebAddress } from './webAddress.js'
export type { ElicitationWords } from './words.js'
