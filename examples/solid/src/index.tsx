import { render } from 'solid-js/web'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/solid'
import './index.css'
import { App } from './App'

const client = createTaskClient({ url: '/mcp' })

// Every call, poll and message, in a panel at the edge of the page. A production
// build leaves it out.
if (import.meta.env.DEV) {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(client),
  )
}

render(
  () => (
    <TaskClientProvider client={client}>
      <App />
    </TaskClientProvider>
  ),
  document.getElementById('root')!,
)
