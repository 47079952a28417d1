import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider, useInputRequests, useToolCallMutation } from 'taskwire/react'
import App from '../../docs/examples/gatewayApp.js'

// The app of the documentation, or, with `?tool=…&arguments=…`, an app that calls any tool and answers its input requests.
const query = new URLSearchParams(location.search)
const name = query.get('tool')

const ANSWERS: Record<string, object> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ann' } },
  'sampling/createMessage': { model: 'm', role: 'assistant', content: { type: 'text', text: 'Hello from the page' } },
}

function AnyTool({ tool }: { tool: string }) {
  const { call, data, error, mutate } = useToolCallMutation({ name: tool, key: 'any' })
  const requests = useInputRequests()
  return (
    <>
      <button type="button" onClick={() => mutate(JSON.parse(query.get('arguments') ?? '{}'))}>
        Start
      </button>
      {requests.map(({ inputKey, request, respond }) => (
        <button key={inputKey} type="button" onClick={() => respond(ANSWERS[request.method] as never)}>
          Answer {request.method}
        </button>
      ))}
      <p>
        {call?.phase} {call?.network} {error?.message}
      </p>
      <output>{data && JSON.stringify(data)}</output>
    </>
  )
}

function AnyApp({ tool }: { tool: string }) {
  const [client] = useState(() =>
    createTaskClient({
      url: 'http://127.0.0.1:3000/mcp',
      capabilities: { elicitation: { form: {} }, sampling: {} },
    }),
  )
  return (
    <TaskClientProvider client={client}>
      <AnyTool tool={tool} />
    </TaskClientProvider>
  )
}

createRoot(document.body).render(name === null ? <App /> : <AnyApp tool={name} />)
