import { formProblems } from '../../core/protocol/formProblems.js'
import { isJsonObject } from '../../core/protocol/json.js'
import type { InputResponseState } from '../../core/record/toolCallState.js'
import type { Asked } from './asked.js'
import type { ElicitationFormState } from './elicitationForm.js'
import { showFields } from './showFields.js'
import { contentOf, type FieldValues } from './values.js'
import type { Words } from './words.js'

/** Everything that a form is made of. */
export interface FormFacts {
  readonly asked: Asked
  readonly words: Words
  /** What the ids of the elements begin with. */
  readonly id: string
  readonly values: FieldValues
  /** True once the user has tried to submit the form: its fields are checked from then on. */
  readonly isAttempted: boolean
  /** What has become of the answer of this form. */
  readonly answer: 'none' | 'sending' | 'accepted' | 'declined' | 'cancelled'
  /** True if the call still asks this. */
  readonly isListed: boolean
  /** True if this page has given the server up: the server may still ask. */
  readonly isUnreachable: boolean
  /** The state of the last response, from this form or another one. */
  readonly response: InputResponseState | undefined
  /** Why the last response was not taken. */
  readonly failure: Error | undefined
  /** The failure that was there when the user last tried to submit what does not fit: what is marked is newer. */
  readonly passedOver: Error | undefined
  /** Fields that were changed since a response was not taken, with the reason of that time. */
  readonly mended: ReadonlyMap<string, Error | undefined>
}

/** A form as it is shown; the state before where nothing has changed. */
export function showForm(facts: FormFacts, before?: ElicitationFormState): ElicitationFormState {
  const { asked, words, response, failure } = facts
  const { kind, message, address, warnings, obstacle } = asked
  const status = statusOf(facts)
  const isEditable = (status === 'open' || status === 'rejected') && kind !== 'other'
  const issues = issuesOf(failure)
  const refused = status === 'rejected' ? refusedFields(facts, issues) : new Map<string, string>()
  const errors = new Map([...refused, ...problemsOf(facts)])
  const isRetrying = status === 'sending' && response?.isRetrying === true
  const problem = () => {
    const reason = status === 'rejected' ? failure : undefined
    const isNews = reason !== undefined && issues.size === 0 && reason !== facts.passedOver
    if (errors.size > 0 && !isNews) return words.marked
    return reason === undefined ? obstacle : words.rejected(reason)
  }
  const next: ElicitationFormState = {
    kind,
    message,
    status,
    isRetrying,
    isEditable,
    canSubmit: isEditable && obstacle === '' && kind === 'form',
    fields: showFields({ ...facts, specs: asked.specs, errors }, before?.fields),
    address,
    warnings,
    statusText: status === 'open' || status === 'rejected' ? '' : words[wordOf(status, facts, isRetrying)],
    problem: isEditable || kind === 'other' ? problem() : '',
  }
  return before !== undefined && isSame(before, next) ? before : next
}

/** The name of the text for a status. */
function wordOf<S>(status: S, { isUnreachable }: FormFacts, isRetrying: boolean): S | 'retrying' | 'unreachable' {
  if (isRetrying) return 'retrying'
  return status === 'gone' && isUnreachable ? 'unreachable' : status
}

function statusOf({ answer, isListed, response, failure }: FormFacts): ElicitationFormState['status'] {
  if (answer !== 'none') return answer
  if (!isListed) return 'gone'
  return response?.status ?? (failure === undefined ? 'open' : 'rejected')
}

/** What is wrong with the fields, by what this page knows. */
function problemsOf({ asked, words, values, isAttempted }: FormFacts): readonly [string, string][] {
  if (!isAttempted) return []
  const problems = formProblems(asked.schema, contentOf(asked.specs, values))
  return problems.map((problem) => [problem.path, words.ofProblem(problem)])
}

/** What is wrong with the fields, by who has not taken the answer: with those that were not changed since. */
function refusedFields(
  { asked, failure, mended }: FormFacts,
  messages: ReadonlyMap<unknown, unknown>,
): ReadonlyMap<string, string> {
  return new Map(
    asked.specs.flatMap(({ name }): [string, string][] => {
      const message = mended.has(name) && mended.get(name) === failure ? undefined : messages.get(name)
      return typeof message === 'string' ? [[name, message]] : []
    }),
  )
}

/** What a failure says of fields, by their names. */
function issuesOf(failure: Error | undefined): ReadonlyMap<unknown, unknown> {
  const issues: unknown = failure !== undefined && 'issues' in failure ? failure.issues : undefined
  const messages = new Map<unknown, unknown>()
  for (const issue of Array.isArray(issues) ? issues : []) {
    if (isJsonObject(issue)) messages.set(issue['path'], issue['message'])
  }
  return messages
}

/** True if two states have the same members, each by reference. */
function isSame(a: ElicitationFormState, b: ElicitationFormState): boolean {
  return (Object.keys(b) as (keyof ElicitationFormState)[]).every((key) => Object.is(a[key], b[key]))
}
