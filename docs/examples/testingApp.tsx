import type { TaskClient } from 'taskwire'
import { TaskClientProvider, useToolCallMutation } from 'taskwire/react'

export function App({ client }: { client: TaskClient }) {
  return (
    <TaskClientProvider client={client}>
      <WeeklyReport />
    </TaskClientProvider>
  )
}

function WeeklyReport() {
  const { call, task, inputRequests, mutate, respond } = useToolCallMutation({
    name: 'generate_report',
    key: 'weekly',
  })
  if (call?.error) return <p role="alert">{call.error.message}</p>
  if (call?.result) {
    const texts = call.result.content.map((block) =>
      block.type === 'text' ? block.text : '',
    )
    return call.result.isError ? (
      <p role="alert">{texts}</p>
    ) : (
      <output>{texts}</output>
    )
  }
  return (
    <section>
      <button
        type="button"
        disabled={call !== undefined}
        onClick={() => mutate({ quarter: 'Q3' })}
      >
        Write the report
      </button>
      {task && (
        <p role="status">
          {call?.network === 'retrying' ? 'Reconnecting' : task.statusMessage}
        </p>
      )}
      {Object.entries(inputRequests).map(
        ([key, { method, params }]) =>
          method === 'elicitation/create' && (
            <button
              key={key}
              type="button"
              onClick={() => respond(key, { action: 'accept', content: {} })}
            >
              {params.message}
            </button>
          ),
      )}
    </section>
  )
}
