import { type PendingInputRequest, useElicitationForm } from 'taskwire/react'
import { FieldInput } from './FieldInput.js'
import { WebAddress } from './WebAddress.js'

/**
 * The form of a question, or the page that it wants the user to visit. Everything in it comes from the server and is shown
 * as text. The form checks what is filled in, so that the browser does not: one voice says what is wrong, beside the fields.
 */
export function Question({ question }: { question: PendingInputRequest }) {
  // #region answer
  const form = useElicitationForm(question, { drafts: 'session' }) // what is typed survives a reload
  // #endregion answer

  return (
    <form className="form" noValidate onSubmit={form.onSubmit}>
      {form.fields.length > 0 && (
        <fieldset className="fields" disabled={!form.isEditable}>
          {form.fields.map((field) => (
            <FieldInput key={field.name} field={field} form={form} />
          ))}
        </fieldset>
      )}
      {form.address && <WebAddress address={form.address} warnings={form.warnings} onOpen={form.onOpen} />}
      <div className="question-actions">
        {form.kind === 'form' && (
          <button type="submit" className="button primary" disabled={!form.canSubmit}>
            Submit
          </button>
        )}
        <button type="button" className="button" disabled={!form.isEditable} onClick={form.decline}>
          Decline
        </button>
        <button type="button" className="button quiet" disabled={!form.isEditable} onClick={form.cancel}>
          Not now
        </button>
      </div>
      <p role="alert" className="question-status" data-tone="danger">
        {form.problem}
      </p>
      <p role="status" className="question-status" data-tone={form.isRetrying ? 'warning' : 'neutral'}>
        {form.statusText}
      </p>
    </form>
  )
}
