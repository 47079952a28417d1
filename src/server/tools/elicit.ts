import {
  type ElicitInputParams,
  type ElicitRequestURLParams,
  type ElicitResult,
  INVALID_PARAMS,
  inputRequired,
  ProtocolError,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import type { InputRequests } from '../tasks/inputRequests.js'

/** A page for the user to visit. */
export type ElicitUrlParams = Omit<ElicitRequestURLParams, 'elicitationId'>

/** A form with fields from a JSON Schema or from a Standard Schema such as zod's, or a page to visit. */
export type ElicitParams = ElicitInputParams | ElicitUrlParams

/** A form whose fields are those of a Standard Schema. */
export type ElicitFormParams<Schema extends StandardSchemaWithJSON> = Omit<ElicitInputParams, 'requestedSchema'> & {
  readonly requestedSchema: Schema
}

/** The values of a form whose schema is a JSON Schema. */
export type ElicitContent = Readonly<Record<string, string | number | boolean | string[]>>

/** The user's decision. It has `content` if the user accepted the form. */
export type ElicitResponse<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

/** Asks the user for input: see `ToolContext.elicit`. */
export interface Elicit {
  <Schema extends StandardSchemaWithJSON>(
    params: ElicitFormParams<Schema>,
  ): Promise<ElicitResponse<StandardSchemaWithJSON.InferOutput<Schema>>>
  (params: ElicitUrlParams): Promise<ElicitResponse<undefined>>
  (params: ElicitInputParams): Promise<ElicitResponse<ElicitContent>>
  (params: ElicitParams): Promise<ElicitResponse<ElicitContent | undefined>>
}

/** Asks by forms and pages; a promise that the handler forgets to await must not take the process down. */
export function createElicit({ ask }: Pick<InputRequests, 'ask'>): Elicit {
  function elicit<Schema extends StandardSchemaWithJSON>(
    params: ElicitFormParams<Schema>,
  ): Promise<ElicitResponse<StandardSchemaWithJSON.InferOutput<Schema>>>
  function elicit(params: ElicitUrlParams): Promise<ElicitResponse<undefined>>
  function elicit(params: ElicitInputParams): Promise<ElicitResponse<ElicitContent>>
  function elicit(params: ElicitParams): Promise<ElicitResponse<ElicitContent | undefined>>
  function elicit(params: ElicitParams): Promise<ElicitResponse<unknown>> {
    const asked = ask<ElicitResult>(() => elicitation(params))
    return ignoreRejection(asked.then((result) => responseOf(params, result)))
  }
  return elicit
}

function elicitation(params: ElicitParams): unknown {
  return params.mode === 'url' ? inputRequired.elicitUrl(params) : inputRequired.elicit(params)
}

/** The response as the schema of its form makes it: JSON Schema, by which it was let in, can say less. */
async function responseOf(params: ElicitParams, { action, content }: ElicitResult): Promise<ElicitResponse<unknown>> {
  if (action !== 'accept') return { action }
  if (params.mode === 'url') return { action, content: undefined }
  const schema = params.requestedSchema
  if (!isStandardSchema(schema)) return { action, content: content ?? {} }
  const checked = await schema['~standard'].validate(content ?? {})
  if (checked.issues === undefined) return { action, content: checked.value }
  const problem = checked.issues[0]?.message ?? 'the schema refuses it'
  throw new ProtocolError(INVALID_PARAMS, `The response to an input request does not fit its form: ${problem}`)
}

function isStandardSchema(schema: ElicitInputParams['requestedSchema']): schema is StandardSchemaWithJSON {
  return '~standard' in schema
}
