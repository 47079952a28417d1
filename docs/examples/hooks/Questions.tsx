import {
  type PendingInputRequest,
  useElicitationForm,
  useInputRequests,
  useToolCallMutation,
} from 'taskwire/react'

/** Calls a tool that asks before it sends, and shows its form. */
export function Questions() {
  const send = useToolCallMutation({
    name: 'send_newsletter',
    key: 'newsletter',
  })
  const requests = useInputRequests()
  return (
    <>
      <button
        type="button"
        onClick={() => send.mutate({})}
        disabled={send.isPending}
      >
        Send the newsletter
      </button>
      {requests.map((request) => (
        <Question key={`${request.callId} ${request.inputKey}`} {...request} />
      ))}
      <p role="status">{send.call?.phase}</p>
    </>
  )
}

function Question(pending: PendingInputRequest) {
  const form = useElicitationForm(pending)
  return (
    <form noValidate onSubmit={form.onSubmit}>
      <p>{form.message}</p>
      {form.fields.map((field) => (
        <p key={field.name}>
          <label htmlFor={field.id}>{field.label}</label>{' '}
          {field.kind === 'text' && <input {...form.inputProps(field)} />}
          {field.error && <span id={field.errorId}>{field.error}</span>}
        </p>
      ))}
      <button type="submit" disabled={!form.canSubmit}>
        Send
      </button>
      <button type="button" onClick={form.decline} disabled={!form.isEditable}>
        Do not send
      </button>
      {form.problem && <p role="alert">{form.problem}</p>}
    </form>
  )
}
