import { type ReactNode, useId } from 'react'
import type { NamedField, Option } from './formFields.js'

interface FieldInputProps {
  readonly field: NamedField
  /** What is wrong with what was filled in, shown beside it. */
  readonly problem: string | undefined
}

/** What a control says of itself to those who do not see it. */
interface Described {
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
}

/** One field of a form, labelled and described, and with what is wrong with it. */
export function FieldInput({ field, problem }: FieldInputProps) {
  const { name, label, description, isRequired, initial } = field
  const id = useId()
  const parts = [description !== undefined && `${id}hint`, problem !== undefined && `${id}problem`].filter(Boolean)
  const described: Described = {
    ...(parts.length > 0 && { 'aria-describedby': parts.join(' ') }),
    ...(problem !== undefined && { 'aria-invalid': true }),
  }
  const notes = (
    <>
      {description !== undefined && (
        <small id={`${id}hint`} className="muted">
          {description}
        </small>
      )}
      {problem !== undefined && (
        <small id={`${id}problem`} className="question-problem">
          {problem}
        </small>
      )}
    </>
  )
  const optional = !isRequired && <span className="optional">optional</span>

  if (field.field.kind === 'boolean') {
    return (
      <div className="field">
        <label className="check">
          <input type="checkbox" name={name} defaultChecked={initial === true} {...described} />
          {label}
        </label>
        {notes}
      </div>
    )
  }
  if (field.field.kind === 'choices') {
    return (
      <fieldset className="field">
        <legend className="label">
          {label} {optional}
        </legend>
        <Choices name={name} options={field.field.options} initial={initial} described={described} />
        {notes}
      </fieldset>
    )
  }
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label} {optional}
      </label>
      <Control id={id} field={field} described={described} />
      {notes}
    </div>
  )
}

interface ChoicesProps {
  readonly name: string
  readonly options: readonly Option[]
  readonly initial: unknown
  readonly described: Described
}

function Choices({ name, options, initial, described }: ChoicesProps): ReactNode {
  return options.map(({ value, label }) => (
    <label key={value} className="check">
      <input
        type="checkbox"
        name={name}
        value={value}
        defaultChecked={Array.isArray(initial) && initial.includes(value)}
        {...described}
      />
      {label}
    </label>
  ))
}

interface ControlProps {
  readonly id: string
  readonly field: NamedField
  readonly described: Described
}

function Control({ id, field: { name, isRequired, initial, field }, described }: ControlProps) {
  const common = { id, name, required: isRequired, ...described }
  switch (field.kind) {
    case 'choice':
      return (
        <select {...common} defaultValue={typeof initial === 'string' ? initial : ''}>
          <option value="" disabled={isRequired}>
            Choose…
          </option>
          {field.options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )
    case 'number':
      return (
        <input
          {...common}
          type="number"
          step={field.step}
          min={field.min}
          max={field.max}
          defaultValue={typeof initial === 'number' ? initial : undefined}
        />
      )
    case 'text':
      return (
        <input
          {...common}
          type={field.type}
          minLength={field.minLength}
          maxLength={field.maxLength}
          defaultValue={typeof initial === 'string' ? initial : undefined}
        />
      )
    default:
      return null
  }
}
