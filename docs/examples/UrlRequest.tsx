import type { PendingInputRequest } from 'taskwire/react'

export function UrlRequest({ request, call, respond }: PendingInputRequest) {
  if (request.method !== 'elicitation/create' || request.params.mode !== 'url') return null
  const { href, host, protocol } = new URL(request.params.url)
  const start = href.indexOf('/', protocol.length + 2) - host.length
  return (
    <fieldset>
      <legend>Reports (example.com) asks, for {call.name}</legend>
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
