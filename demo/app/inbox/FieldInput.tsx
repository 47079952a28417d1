import type { ElicitationField } from 'taskwire/forms'
import type { UseElicitationFormResult } from 'taskwire/react'

interface FieldInputProps {
  readonly field: ElicitationField
  readonly form: Pick<UseElicitationFormResult, 'inputProps' | 'optionProps'>
}

/** One field of a form, labelled and described, and with what is wrong with it. */
export function FieldInput({ field, form }: FieldInputProps) {
  const { label, description, error, hintId, errorId } = field
  const notes = (
    <>
      {description !== undefined && (
        <small id={hintId} className="muted">
          {description}
        </small>
      )}
      {error !== undefined && (
        <small id={errorId} className="question-problem">
          {error}
        </small>
      )}
    </>
  )
  const optional = !field.isRequired && <span className="optional">optional</span>

  if (field.kind === 'boolean') {
    return (
      <div className="field">
        <label className="check">
          <input {...form.inputProps(field)} />
          {label}
        </label>
        {notes}
      </div>
    )
  }
  if (field.kind === 'choices') {
    return (
      <fieldset className="field">
        <legend className="label">
          {label} {optional}
        </legend>
        {field.options.map((option) => (
          <label key={option.value} className="check">
            <input {...form.optionProps(field, option)} />
            {option.label}
          </label>
        ))}
        {notes}
      </fieldset>
    )
  }
  return (
    <div className="field">
      <label className="label" htmlFor={field.id}>
        {label} {optional}
      </label>
      {field.kind === 'choice' && (
        <select {...form.inputProps(field)}>
          <option value="" disabled={field.isRequired}>
            Choose…
          </option>
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
      {(field.kind === 'text' || field.kind === 'number') && <input {...form.inputProps(field)} />}
      {notes}
    </div>
  )
}
