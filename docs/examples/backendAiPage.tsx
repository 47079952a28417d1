import { useChat } from '@ai-sdk/react'
import { createTaskClient } from 'taskwire/bridge'
import {
  TaskClientProvider,
  useInputRequests,
  useToolCalls,
} from 'taskwire/react'
import { ElicitationForm } from './forms/ElicitationForm'

const client = createTaskClient({ url: '/api/calls' })

/** The calls that run, with their progress: those of the model, too. */
function Running() {
  const calls = useToolCalls().filter(({ endedAt }) => endedAt === undefined)
  return calls.map(({ callId, name, progress, task }) => (
    <p key={callId}>
      {name}: {progress?.message ?? task?.statusMessage ?? 'starting…'}
      <progress
        aria-label={name}
        value={progress?.total && progress.progress}
        max={progress?.total}
      />
    </p>
  ))
}

/**
 * What the tools ask the user. The answer goes to the backend, and the tool
 * continues.
 */
function Questions() {
  return useInputRequests().map((pending) => (
    <ElicitationForm
      key={`${pending.callId} ${pending.inputKey}`}
      {...pending}
    />
  ))
}

function Chat() {
  const { messages, sendMessage } = useChat()
  return (
    <>
      {messages.map(({ id, parts }) => (
        <p key={id}>
          {parts
            .map((part) => (part.type === 'text' ? part.text : ''))
            .join('')}
        </p>
      ))}
      <form
        action={(form) => {
          void sendMessage({ text: String(form.get('text')) })
        }}
      >
        <input name="text" aria-label="Message" required />
        <button type="submit">Send</button>
      </form>
    </>
  )
}

export function App() {
  return (
    <TaskClientProvider client={client}>
      <Chat />
      <Running />
      <Questions />
    </TaskClientProvider>
  )
}
