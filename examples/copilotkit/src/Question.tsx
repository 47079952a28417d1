import {
  type PendingInputRequest,
  type UseElicitationFormResult,
  useElicitationForm,
} from 'taskwire/react'

/** The form of an input request. One without fields is an approval. */
export function Question(pending: PendingInputRequest) {
  const form = useElicitationForm(pending)
  return (
    <form className="question" noValidate onSubmit={form.onSubmit}>
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
          {form.fields.length === 0 ? 'Approve' : 'Answer'}
        </button>
      )}
      <button type="button" onClick={form.decline} disabled={!form.isEditable}>
        Decline
      </button>
      {form.problem && <p role="alert">{form.problem}</p>}
    </form>
  )
}

interface FieldProps {
  field: UseElicitationFormResult['fields'][number]
  form: UseElicitationFormResult
}

function Field({ field, form }: FieldProps) {
  const error = field.error && <span id={field.errorId}> {field.error}</span>
  if (field.kind === 'choices')
    return (
      <fieldset>
        <legend>{field.label}</legend>
        {field.options.map((option) => (
          <label key={option.value}>
            <input {...form.optionProps(field, option)} /> {option.label}
          </label>
        ))}
        {error}
      </fieldset>
    )
  return (
    <p>
      <label htmlFor={field.id}>{field.label}</label>{' '}
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
      {error}
    </p>
  )
}
