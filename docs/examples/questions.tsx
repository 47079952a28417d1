import { createTaskClient, type InputRequest } from 'taskwire'
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

function Question({ request, call, respond }: PendingInputRequest) {
  if (request.method !== 'elicitation/create') return null
  return (
    <fieldset>
      <legend>{call.name} asks</legend>
      <p>{request.params.message}</p>
      <button type="button" onClick={() => respond({ action: 'accept', content: { approved: true } })}>
        Approve
      </button>
      <button type="button" onClick={() => respond({ action: 'decline' })}>
        Decline
      </button>
    </fieldset>
  )
}
// #endregion inbox

// #region handlers
export const client = createTaskClient({
  url: 'https://example.com/mcp',
  inputHandlers: {
    roots: () => ({ roots: [{ uri: 'file:///project', name: 'Project' }] }),
    sampling: async (request, { signal }) => {
      const response = await fetch('/api/complete', { method: 'POST', body: JSON.stringify(request.params), signal })
      return response.json()
    },
  },
})
// #endregion handlers

// #region url
export function UrlQuestion({ request, respond }: { request: InputRequest; respond: PendingInputRequest['respond'] }) {
  if (request.method !== 'elicitation/create' || request.params.mode !== 'url') return null
  const { url, message } = request.params
  return (
    <p>
      {message} <code>{new URL(url).host}</code>
      <a href={url} target="_blank" rel="noopener noreferrer" onClick={() => respond({ action: 'accept' })}>
        Open
      </a>
    </p>
  )
}
// #endregion url

// #region settled
export const stop = client.onTaskSettled((call) => {
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
