import type { CallToolResult } from 'taskwire'
import {
  type PendingInputRequest,
  useElicitationForm,
  useInputRequests,
  useToolCallMutation,
} from 'taskwire/react'

export function Newsletter() {
  const send = useToolCallMutation({
    name: 'send_newsletter',
    key: 'newsletter',
  })
  const requests = useInputRequests()
  const { call, data, error } = send
  const isRunning = call !== undefined && call.endedAt === undefined

  return (
    <>
      <button
        type="button"
        onClick={() => send.mutate({})}
        disabled={isRunning}
      >
        Send the newsletter
      </button>
      {isRunning && requests.length === 0 && (
        <p>{call.task?.statusMessage ?? 'Starting…'}</p>
      )}
      {requests.map((request) => (
        <Question key={`${request.callId} ${request.inputKey}`} {...request} />
      ))}
      {error && !isRunning && <p role="alert">{error.message}</p>}
      {data &&
        !isRunning &&
        (data.isError ? (
          <p role="alert">{textOf(data)}</p>
        ) : (
          <output>{textOf(data)}</output>
        ))}
    </>
  )
}

function textOf({ content }: CallToolResult) {
  return content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
}

function Question(pending: PendingInputRequest) {
  const form = useElicitationForm(pending)
  return (
    <form noValidate onSubmit={form.onSubmit}>
      <p>{form.message}</p>
      {form.fields.map(
        (field) =>
          field.kind === 'text' && (
            <div key={field.name}>
              <label>
                {field.label}
                <input {...form.inputProps(field)} />
              </label>
              {field.error && <p id={field.errorId}>{field.error}</p>}
            </div>
          ),
      )}
      <button type="submit" disabled={!form.canSubmit}>
        Send
      </button>
      <button type="button" onClick={form.decline} disabled={!form.isEditable}>
        Do not send
      </button>
      {form.problem && <p role="alert">{form.problem}</p>}
      <p role="status">{form.statusText}</p>
    </form>
  )
}
