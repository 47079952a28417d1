import {
  type PendingInputRequest,
  type UseElicitationFormResult,
  useElicitationForm,
} from 'taskwire/react'

/**
 * The server as your users know it. The name that it gives itself proves
 * nothing.
 */
const SERVER = 'Reports (example.com)'

/**
 * The form of an input request, or the page that it wants the user to visit.
 */
export function ElicitationForm(pending: PendingInputRequest) {
  const form = useElicitationForm(pending, { drafts: 'session' })
  return (
    <form noValidate onSubmit={form.onSubmit}>
      <fieldset disabled={!form.isEditable}>
        <legend>
          {SERVER} asks, for {pending.call.name}
        </legend>
        <p>{form.message}</p>
        {form.fields.map((field) => (
          <Field key={field.name} field={field} form={form} />
        ))}
        {form.address && (
          <a
            href={form.address.href}
            target="_blank"
            rel="noopener noreferrer"
            onClick={form.onOpen}
            onAuxClick={form.onOpen}
          >
            {form.address.before}
            <strong>{form.address.host}</strong>
            {form.address.after}
          </a>
        )}
        {form.warnings.map((warning) => (
          <p key={warning}>{warning}</p>
        ))}
        {form.kind === 'form' && (
          <button type="submit" disabled={!form.canSubmit}>
            Submit
          </button>
        )}
        <button type="button" onClick={form.decline}>
          Decline
        </button>
        <button type="button" onClick={form.cancel}>
          Not now
        </button>
      </fieldset>
      <p role="alert">{form.problem}</p>
      <p role="status">{form.statusText}</p>
    </form>
  )
}

interface FieldProps {
  field: UseElicitationFormResult['fields'][number]
  form: UseElicitationFormResult
}

function Field({ field, form }: FieldProps) {
  const label =
    field.isRequired || field.kind === 'boolean'
      ? field.label
      : `${field.label} (optional)`
  const notes = (
    <>
      {field.description && <p id={field.hintId}>{field.description}</p>}
      {field.error && <p id={field.errorId}>{field.error}</p>}
    </>
  )
  if (field.kind === 'choices') {
    return (
      <fieldset>
        <legend>{label}</legend>
        {field.options.map((option) => (
          <label key={option.value}>
            <input {...form.optionProps(field, option)} /> {option.label}
          </label>
        ))}
        {notes}
      </fieldset>
    )
  }
  return (
    <div>
      <label htmlFor={field.id}>{label}</label>
      {field.kind === 'choice' ? (
        <select {...form.inputProps(field)}>
          <option value="">Choose…</option>
          {field.options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        field.kind !== 'unsupported' && <input {...form.inputProps(field)} />
      )}
      {notes}
    </div>
  )
}
