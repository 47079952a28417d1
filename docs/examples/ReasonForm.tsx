import { TaskInputError } from 'taskwire'
import type { PendingInputRequest } from 'taskwire/react'
import { ResponseStatus } from './ResponseStatus'

/** A form of one field, for a `requestedSchema` with a text called "reason". */
export function ReasonForm({ request, response, respond }: PendingInputRequest) {
  if (request.method !== 'elicitation/create') return null
  const error = response?.status === 'rejected' ? response.error : undefined
  const issues = error instanceof TaskInputError ? error.issues : []
  const problem = issues.find(({ path }) => path === 'reason')?.message
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        void respond({ action: 'accept', content: { reason: data.get('reason') } })
      }}
    >
      <p>{request.params.message}</p>
      <label>
        Reason
        <input name="reason" aria-invalid={problem !== undefined} aria-describedby="reason-problem" />
      </label>
      <p id="reason-problem">{problem}</p>
      <button type="submit" disabled={response?.status === 'sending'}>
        Submit
      </button>
      {problem === undefined && <ResponseStatus response={response} />}
    </form>
  )
}
