import { type PendingInputRequest, useElicitationForm } from 'taskwire/react'

/** The form of an input request. One without fields is an approval. */
export function Question(pending: PendingInputRequest) {
  const form = useElicitationForm(pending)
  return (
    <form className="question" noValidate onSubmit={form.onSubmit}>
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
      </button>
      <button type="button" onClick={form.decline} disabled={!form.isEditable}>
        Decline
      </button>
      {form.problem && <p role="alert">{form.problem}</p>}
    </form>
  )
}
