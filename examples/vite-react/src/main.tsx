import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import './index.css'
import { Report } from './Report'

const client = createTaskClient({
  url: '/mcp',
})

// Every call, poll and message, in a panel at the edge of the page. A production
// build leaves it out.
if (import.meta.env.DEV) {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(client),
  )
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <TaskClientProvider client={client}>
      <main>
        <h1>Sales report</h1>
        <Report />
      </main>
    </TaskClientProvider>
  </StrictMode>,
)
