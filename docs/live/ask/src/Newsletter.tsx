import { TaskInputError } from 'taskwire'
import { type PendingInputRequest, useInputRequests, useToolCallMutation } from 'taskwire/react'

export function Newsletter() {
  const send = useToolCallMutation({ name: 'send_newsletter', key: 'newsletter' })
  const requests = useInputRequests()
  const { call, data, error } = send
  const isRunning = call !== undefined && call.endedAt === undefined

  return (
    <>
      <button type="button" onClick={() => send.mutate({})} disabled={isRunning}>
        Send the newsletter
      </button>
      {isRunning && requests.length === 0 && <p>{call.task?.statusMessage ?? 'Starting…'}</p>}
      {requests.map((request) => (
        <Question key={request.inputKey} {...request} />
      ))}
      {error && !isRunning && <p role="alert">{error.message}</p>}
      {data && !isRunning && (
        <output>{data.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')}</output>
      )}
    </>
  )
}

function Question({ request, response, respond }: PendingInputRequest) {
  if (request.method !== 'elicitation/create') return null
  const refusal = response?.status === 'rejected' ? response.error : undefined
  const problem = refusal instanceof TaskInputError ? refusal.issues[0]?.message : refusal?.message
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const subject = new FormData(event.currentTarget).get('subject')
        void respond({ action: 'accept', content: { subject } })
      }}
    >
      <p>{request.params.message}</p>
      <label>
        Subject
        <input name="subject" aria-invalid={problem !== undefined} />
      </label>
      {problem && <p role="alert">{problem}</p>}
      <button type="submit" disabled={response?.status === 'sending'}>
        Send
      </button>
      <button type="button" onClick={() => respond({ action: 'decline' })}>
        Do not send
      </button>
    </form>
  )
}
