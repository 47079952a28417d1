import { useState } from 'react'
import type { InputResponse } from 'taskwire'
import type { PendingInputRequest } from 'taskwire/react'
import { toolTitle } from './askingTools.js'
import { FieldInput } from './FieldInput.js'
import { formContent, formFields } from './formFields.js'
import { WebAddress } from './WebAddress.js'

/** One question of a task, as a form or as a page to visit. Everything in it comes from the server and is shown as text. */
export function Question({ request, call, respond }: PendingInputRequest) {
  const [problem, setProblem] = useState<string>()
  if (request.method !== 'elicitation/create') return null
  const { params } = request

  async function answer(response: InputResponse): Promise<void> {
    try {
      await respond(response)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }

  const fields = params.mode === 'url' ? [] : formFields(params.requestedSchema)
  return (
    <li className="question" data-testid="question">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          const content = formContent(fields, new FormData(event.currentTarget))
          void answer({ action: 'accept', ...(params.mode !== 'url' && { content }) })
        }}
      >
        <div>
          <p className="muted">The server of this demo asks, for {toolTitle(call.name)}</p>
          <h3>{params.message}</h3>
        </div>
        {fields.map((field) => (
          <FieldInput key={field.name} field={field} />
        ))}
        {params.mode === 'url' && <WebAddress url={params.url} />}
        <div className="question-actions">
          <button type="submit" className="button primary">
            {params.mode === 'url' ? 'I have done it' : 'Submit'}
          </button>
          <button type="button" className="button" onClick={() => void answer({ action: 'decline' })}>
            Decline
          </button>
          <button type="button" className="button quiet" onClick={() => void answer({ action: 'cancel' })}>
            Not now
          </button>
        </div>
        {problem !== undefined && (
          <p role="alert" className="question-problem">
            {problem}
          </p>
        )}
      </form>
    </li>
  )
}
