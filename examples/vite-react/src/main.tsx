import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import './index.css'
import { Report } from './Report'

const client = createTaskClient({
  url: '/mcp',
  capabilities: { elicitation: { form: {} } },
})

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
