import {
  type PendingInputRequest,
  useElicitationForm,
  useInputRequests,
} from 'taskwire/react'

/**
 * A form for each input request that waits for the user, of this visit or of an
 * earlier one.
 */
export function Questions() {
  const requests = useInputRequests().filter(
    ({ request }) => request.method === 'elicitation/create',
  )
  return requests.map((pending) => (
    <Question key={`${pending.callId} ${pending.inputKey}`} {...pending} />
  ))
}

function Question(pending: PendingInputRequest) {
  const form = useElicitationForm(pending, { drafts: 'session' })
  return (
    <form noValidate onSubmit={form.onSubmit} aria-label="Question">
      <p>{form.message}</p>
      {form.fields.map((field) => (
        <p key={field.name}>
          <label htmlFor={field.id}>{field.label}</label>{' '}
          {field.kind === 'choice' ? (
            <select {...form.inputProps(field)}>
              {field.options.map((option) => (
                <option key={option.value} value={option.value}>
                  {option.label}
                </option>
              ))}
            </select>
          ) : (
            field.kind !== 'choices' &&
            field.kind !== 'unsupported' && (
              <input {...form.inputProps(field)} />
            )
          )}
          {field.error && <span id={field.errorId}> {field.error}</span>}
        </p>
      ))}
      <button type="submit" disabled={!form.canSubmit}>
        {form.fields.length === 0 ? 'Approve' : 'Answer'}
      </button>{' '}
      <button type="button" onClick={form.decline} disabled={!form.isEditable}>
        Decline
      </button>
      {form.problem && <p role="alert">{form.problem}</p>}
    </form>
  )
}
