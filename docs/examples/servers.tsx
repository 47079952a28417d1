import { createTaskClient } from 'taskwire'
import {
  TaskClientProvider,
  useInputRequests,
  useToolCallMutation,
  useToolCalls,
} from 'taskwire/react'

const reports = createTaskClient({ url: 'https://reports.example/mcp' })
const photos = createTaskClient({ url: 'https://photos.example/mcp' })
const all = [reports, photos]

export default function App() {
  return (
    <TaskClientProvider client={reports}>
      <Buttons />
      <Activity />
    </TaskClientProvider>
  )
}

function Buttons() {
  // Of the provider: reports.
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  const album = useToolCallMutation({
    client: photos,
    name: 'sort_album',
    key: 'summer',
  })
  return (
    <>
      <button
        type="button"
        disabled={report.isPending}
        onClick={() => report.mutate({ quarter: 'Q3' })}
      >
        Generate the weekly report
      </button>
      <button
        type="button"
        disabled={album.isPending}
        onClick={() => album.mutate({ album: 'summer' })}
      >
        Sort the album
      </button>
    </>
  )
}

/** One list and one inbox of both servers. */
function Activity() {
  const calls = useToolCalls({ clients: all })
  const requests = useInputRequests({ clients: all })
  return (
    <>
      <p>{requests.length} questions</p>
      <ul>
        {calls.map((call) => (
          <li key={call.callId}>
            {call.name}: {call.task?.statusMessage ?? call.phase}
          </li>
        ))}
      </ul>
    </>
  )
}
