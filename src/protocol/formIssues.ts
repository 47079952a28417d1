import { type FormProblem, type FormProblemCode, formProblems } from './formProblems.js'
import type { JsonObject } from './json.js'

/** What is wrong with one field of a form, to be shown beside it. */
export interface FormIssue {
  /** The name of the field in `requestedSchema`. */
  readonly path: string
  /** For the user, in English: "Choose at least 1.". */
  readonly message: string
}

/** What the user is to do about a problem, or a function of the limit that says it. */
export type ProblemWords = string | ((limit: number) => string)

/** The {@link formProblems} of the content, in English words. */
export function formIssues(schema: JsonObject, content: JsonObject): readonly FormIssue[] {
  return formProblems(schema, content).map((problem) => ({
    path: problem.path,
    message: say(ENGLISH[problem.code], problem),
  }))
}

export function say(words: ProblemWords, { limit = 0 }: FormProblem): string {
  return typeof words === 'string' ? words : words(limit)
}

const characters = (count: number): string => (count === 1 ? '1 character' : `${count} characters`)

export const ENGLISH: Readonly<Record<FormProblemCode, ProblemWords>> = {
  required: 'This field is required.',
  string: 'Enter a text.',
  number: 'Enter a number.',
  integer: 'Enter a whole number.',
  boolean: 'Choose yes or no.',
  array: 'Choose from the options.',
  enum: 'Choose one of the options.',
  minLength: (limit) => `Enter at least ${characters(limit)}.`,
  maxLength: (limit) => `Enter at most ${characters(limit)}.`,
  minimum: (limit) => `Enter ${limit} or more.`,
  maximum: (limit) => `Enter ${limit} or less.`,
  minItems: (limit) => `Choose at least ${limit}.`,
  maxItems: (limit) => `Choose at most ${limit}.`,
  email: 'Enter an email address, such as name@example.com.',
  uri: 'Enter a full address, such as https://example.com.',
  date: 'Enter a date, such as 2026-07-28.',
  'date-time': 'Enter a date and a time with its zone, such as 2026-07-28T09:30:00Z.',
}
