import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import './index.css'
import { Newsletter } from './Newsletter'

const client = createTaskClient({
  url: '/mcp',
  capabilities: { elicitation: { form: {} } },
})

// Every call, poll and message, in a panel at the edge of the page. A production
// build leaves it out.
if (import.meta.env.DEV) {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(client),
  )
}

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element #root.')

createRoot(root).render(
  <StrictMode>
    <TaskClientProvider client={client}>
      <main>
        <h1>Newsletter</h1>
        <Newsletter />
      </main>
    </TaskClientProvider>
  </StrictMode>,
)
