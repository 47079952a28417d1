import { type FormProblem, formProblems } from './formProblems.js'
import type { JsonObject } from './json.js'

/** What is wrong with one field of a form, to be shown beside it. */
export interface FormIssue {
  /** The name of the field in `requestedSchema`. */
  readonly path: string
  /** For the user, in English: "Choose at least 1.". */
  readonly message: string
}

/** The {@link formProblems} of the content, in English words. */
export function formIssues(schema: JsonObject, content: JsonObject): readonly FormIssue[] {
  return formProblems(schema, content).map((problem) => ({ path: problem.path, message: problemWords(problem) }))
}

/** What the user is to do about a problem, in English. */
export function problemWords({ code, limit }: Pick<FormProblem, 'code' | 'limit'>): string {
  switch (code) {
    case 'required':
      return 'This field is required.'
    case 'text':
      return 'Enter a text.'
    case 'tooShort':
      return `Enter at least ${characters(limit)}.`
    case 'tooLong':
      return `Enter at most ${characters(limit)}.`
    case 'email':
      return 'Enter an email address, such as name@example.com.'
    case 'uri':
      return 'Enter a full address, such as https://example.com.'
    case 'date':
      return 'Enter a date, such as 2026-07-28.'
    case 'dateTime':
      return 'Enter a date and a time with its zone, such as 2026-07-28T09:30:00Z.'
    case 'number':
      return 'Enter a number.'
    case 'integer':
      return 'Enter a whole number.'
    case 'tooSmall':
      return `Enter ${limit} or more.`
    case 'tooLarge':
      return `Enter ${limit} or less.`
    case 'boolean':
      return 'Choose yes or no.'
    case 'choice':
      return 'Choose one of the options.'
    case 'choices':
      return 'Choose from the options.'
    case 'tooFew':
      return `Choose at least ${limit}.`
    case 'tooMany':
      return `Choose at most ${limit}.`
  }
}

function characters(count: number | undefined): string {
  return count === 1 ? '1 character' : `${count} characters`
}
