import { formProblems } from './formProblems.js'
import type { JsonObject } from './json.js'

/** A problem with one field of a form. Show it next to the field. */
export interface FormIssue {
  /** The name of the field in `requestedSchema`. */
  readonly path: string
  /** The problem, in English for the user: "Choose at least 1.". */
  readonly message: string
}

/** The {@link formProblems} of the content, in English words. */
export function formIssues(schema: JsonObject, content: JsonObject): readonly FormIssue[] {
  return formProblems(schema, content).map(({ path, message }) => ({ path, message }))
}
