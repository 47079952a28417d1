import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { JsonObject } from '../../core/protocol/json.js'
import type { ElicitationFormState } from './elicitationForm.js'
import { type FieldSpec, parseFields } from './parseFields.js'
import { parseWebAddress } from './webAddress.js'
import type { Words } from './words.js'

/** What an input request asks for. Nothing of it changes while the form is open. */
export interface Asked extends Pick<ElicitationFormState, 'kind' | 'message' | 'address' | 'warnings'> {
  readonly schema: JsonObject
  readonly specs: readonly FieldSpec[]
  /** Why it cannot be accepted, in words; empty where it can. */
  readonly obstacle: string
}

export function askedBy(request: InputRequest, words: Words): Asked {
  const nothing = { schema: {}, specs: [], warnings: [], obstacle: '' }
  if (request.method !== 'elicitation/create') {
    return { ...nothing, kind: 'other', message: '', obstacle: words.noForm }
  }
  const { params } = request
  const { message } = params
  if (params.mode === 'url') {
    const address = parseWebAddress(params.url)
    if (address === undefined) return { ...nothing, kind: 'url', message, obstacle: words.unsafeAddress }
    const warnings = [
      ...(address.hasUserPart ? [words.userPart] : []),
      ...(address.isPunycode ? [words.punycode] : []),
      ...(address.isUnencrypted ? [words.unencrypted] : []),
    ]
    return { ...nothing, kind: 'url', message, address, warnings }
  }
  const schema = params.requestedSchema
  const specs = parseFields(schema)
  if (specs === undefined) return { ...nothing, kind: 'form', message, obstacle: words.tooManyFields }
  const isUnanswerable = specs.some(({ kind, isRequired }) => kind === 'unsupported' && isRequired)
  return { ...nothing, kind: 'form', message, schema, specs, obstacle: isUnanswerable ? words.unanswerable : '' }
}
