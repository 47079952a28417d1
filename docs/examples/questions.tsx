import { createTaskClient, TaskInputError } from 'taskwire'
import { type PendingInputRequest, useInputRequests } from 'taskwire/react'

// #region inbox
export function Inbox() {
  const questions = useInputRequests()
  return (
    <section aria-label={`${questions.length} questions`}>
      {questions.map((question) => (
        <Question key={`${question.callId} ${question.inputKey}`} {...question} />
      ))}
    </section>
  )
}

/** The server as your users know it: what it calls itself proves nothing. */
const SERVER = 'Reports (example.com)'

function Question(question: PendingInputRequest) {
  const { request, call, response, respond } = question
  if (request.method !== 'elicitation/create') return null
  if (request.params.mode === 'url') return <UrlQuestion {...question} />
  return (
    <fieldset>
      <legend>
        {SERVER} asks, for {call.name}
      </legend>
      <p>{request.params.message}</p>
      <button type="button" onClick={() => respond({ action: 'accept', content: { approved: true } })}>
        Approve
      </button>
      <button type="button" onClick={() => respond({ action: 'decline' })}>
        Decline
      </button>
      <button type="button" onClick={() => respond({ action: 'cancel' })}>
        Not now
      </button>
      <AnswerStatus response={response} />
    </fieldset>
  )
}
// #endregion inbox

// #region form
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
      {problem === undefined && <AnswerStatus response={response} />}
    </form>
  )
}

function AnswerStatus({ response }: Pick<PendingInputRequest, 'response'>) {
  if (response === undefined) return null
  if (response.status === 'rejected') return <p role="alert">{response.error.message}</p>
  return <p role="status">{response.isRetrying ? 'Not reached, trying again…' : 'Sending…'}</p>
}
// #endregion form

// #region handlers
export const client = createTaskClient({
  url: 'https://example.com/mcp',
  input: {
    handlers: {
      roots: () => ({ roots: [{ uri: 'file:///project', name: 'Project' }] }),
      sampling: async (request, { signal }) => {
        const response = await fetch('/api/complete', { method: 'POST', body: JSON.stringify(request.params), signal })
        return response.json()
      },
    },
  },
})
// #endregion handlers

// #region url
export function UrlQuestion({ request, call, respond }: PendingInputRequest) {
  if (request.method !== 'elicitation/create' || request.params.mode !== 'url') return null
  const { href, host, protocol } = new URL(request.params.url)
  const start = href.indexOf('/', protocol.length + 2) - host.length
  return (
    <fieldset>
      <legend>
        {SERVER} asks, for {call.name}
      </legend>
      <p>{request.params.message}</p>
      <a href={href} target="_blank" rel="noopener noreferrer" onClick={() => respond({ action: 'accept' })}>
        {href.slice(0, start)}
        <strong>{host}</strong>
        {href.slice(start + host.length)}
      </a>
      {/(^|\.)xn--/.test(host) && <p>This address has letters that may imitate others.</p>}
      <button type="button" onClick={() => respond({ action: 'decline' })}>
        Decline
      </button>
      <button type="button" onClick={() => respond({ action: 'cancel' })}>
        Not now
      </button>
    </fieldset>
  )
}
// #endregion url

// #region settled
export const stop = client.onToolCallSettled((call) => {
  if (document.visibilityState === 'visible') return
  new Notification(`${call.name}: ${call.phase}`, { tag: call.callId })
})
// #endregion settled

// #region cancel
export async function cancelAll(): Promise<void> {
  const running = Object.values(client.store.getState().calls).filter((call) => call.phase === 'working')
  await Promise.allSettled(running.map((call) => client.getToolCall(call.callId)?.cancel()))
}
// #endregion cancel
