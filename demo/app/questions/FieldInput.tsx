import { useId } from 'react'
import type { NamedField } from './formFields.js'

/** One field of a form, labelled and described. */
export function FieldInput({ field: { name, label, description, isRequired, initial, field } }: { field: NamedField }) {
  const control = useId()
  const hint = useId()
  const described = description === undefined ? {} : { 'aria-describedby': hint }
  const common = { id: control, name, required: isRequired, ...described }
  const note = description !== undefined && (
    <small id={hint} className="muted">
      {description}
    </small>
  )

  switch (field.kind) {
    case 'boolean':
      return (
        <label className="check">
          <input type="checkbox" name={name} defaultChecked={initial === true} {...described} />
          {label}
          {note}
        </label>
      )
    case 'choices':
      return (
        <fieldset className="field">
          <legend className="label">
            {label}
            {!isRequired && <span className="optional">optional</span>}
          </legend>
          {field.options.map(({ value, label: option }) => (
            <label key={value} className="check">
              <input
                type="checkbox"
                name={name}
                value={value}
                defaultChecked={Array.isArray(initial) && initial.includes(value)}
              />
              {option}
            </label>
          ))}
          {note}
        </fieldset>
      )
    default:
      return (
        <div className="field">
          <label className="label" htmlFor={control}>
            {label}
            {!isRequired && <span className="optional">optional</span>}
          </label>
          {field.kind === 'choice' && (
            <select {...common} defaultValue={typeof initial === 'string' ? initial : ''}>
              <option value="" disabled={isRequired}>
                Choose…
              </option>
              {field.options.map(({ value, label: option }) => (
                <option key={value} value={value}>
                  {option}
                </option>
              ))}
            </select>
          )}
          {field.kind === 'number' && (
            <input
              {...common}
              type="number"
              step={field.step}
              min={field.min}
              max={field.max}
              defaultValue={typeof initial === 'number' ? initial : undefined}
            />
          )}
          {field.kind === 'text' && (
            <input
              {...common}
              type={field.type}
              minLength={field.minLength}
              maxLength={field.maxLength}
              defaultValue={typeof initial === 'string' ? initial : undefined}
            />
          )}
          {note}
        </div>
      )
  }
}
