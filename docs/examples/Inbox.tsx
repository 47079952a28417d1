import { type PendingInputRequest, useInputRequests } from 'taskwire/react'
import { ResponseStatus } from './ResponseStatus'
import { UrlRequest } from './UrlRequest'

/** The server as your users know it. The name that it gives itself proves nothing. */
const SERVER = 'Reports (example.com)'

export function Inbox() {
  const requests = useInputRequests()
  return (
    <section aria-label={`${requests.length} questions`}>
      {requests.map((request) => (
        <Request key={`${request.callId} ${request.inputKey}`} {...request} />
      ))}
    </section>
  )
}

function Request(pending: PendingInputRequest) {
  const { request, call, response, respond } = pending
  if (request.method !== 'elicitation/create') return null
  if (request.params.mode === 'url') return <UrlRequest {...pending} />
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
      <ResponseStatus response={response} />
    </fieldset>
  )
}
