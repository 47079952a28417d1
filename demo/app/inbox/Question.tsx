import { useEffect, useRef } from 'react'
import { TaskInputError } from 'taskwire'
import type { PendingInputRequest } from 'taskwire/react'
import { FieldInput } from './FieldInput.js'
import { formContent, formFields } from './formFields.js'
import { ResponseStatus } from './ResponseStatus.js'
import { WebAddress } from './WebAddress.js'

/**
 * The form of a question, or the page that it wants the user to visit. Everything in it comes from the server and is shown as text.
 * The client checks what is filled in, so that the browser does not: one voice says what is wrong, beside the fields.
 */
export function Question({ request, response, respond }: PendingInputRequest) {
  const form = useRef<HTMLFormElement>(null)
  const isSending = response?.status === 'sending'
  const error = response?.status === 'rejected' ? response.error : undefined

  useEffect(() => {
    if (error !== undefined) focusProblem(form.current)
  }, [error])

  if (request.method !== 'elicitation/create') return null
  const { params } = request
  const isPage = params.mode === 'url'
  const fields = params.mode === 'url' ? [] : formFields(params.requestedSchema)
  const issues = error instanceof TaskInputError ? error.issues : []
  const problems = new Map(issues.map(({ path, message }) => [path, message]))

  return (
    <form
      ref={form}
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        // #region answer
        const content = formContent(fields, event.currentTarget)
        if (isPage) void respond({ action: 'accept' })
        else void respond({ action: 'accept', content })
        // #endregion answer
      }}
    >
      {fields.length > 0 && (
        <fieldset className="fields" disabled={isSending}>
          {fields.map((field) => (
            <FieldInput key={field.name} field={field} problem={problems.get(field.name)} />
          ))}
        </fieldset>
      )}
      {params.mode === 'url' && <WebAddress url={params.url} />}
      <div className="question-actions">
        <button type="submit" className="button primary" disabled={isSending}>
          {isPage ? 'I have done it' : 'Submit'}
        </button>
        <button
          type="button"
          className="button"
          disabled={isSending}
          onClick={() => void respond({ action: 'decline' })}
        >
          Decline
        </button>
        <button
          type="button"
          className="button quiet"
          disabled={isSending}
          onClick={() => void respond({ action: 'cancel' })}
        >
          Not now
        </button>
      </div>
      <ResponseStatus response={response} isShownBeside={fields.some(({ name }) => problems.has(name))} />
    </form>
  )
}

/** Takes the user to what is to be mended, unless they have gone on to something else meanwhile. */
function focusProblem(form: HTMLFormElement | null): void {
  const { activeElement, body } = document
  if (form === null || (activeElement !== body && !form.contains(activeElement))) return
  form.querySelector<HTMLElement>('[aria-invalid="true"], [type="submit"]')?.focus()
}
