import { formProblems } from './formProblems.js'
import type { JsonObject } from './json.js'

/** A problem with one field of a form, to be shown beside it. */
export interface FormIssue {
  /** The name of the field in `requestedSchema`. */
  readonly path: string
  /** For the user, in English: "Choose at least 1.". */
  readonly message: string
}

/** The {@link formProblems} of the content, in English words. */
export function formIssues(schema: JsonObject, content: JsonObject): readonly FormIssue[] {
  return formProblems(schema, content).map(({ path, message }) => ({ path, message }))
}
