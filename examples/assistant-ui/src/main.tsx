import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient } from 'taskwire'
import { mcpTools } from 'taskwire/ai'
import { TaskClientProvider } from 'taskwire/react'
import { Chat } from './Chat'
import './index.css'

const client = createTaskClient({
  url: '/mcp',
})
const tools = await mcpTools(client)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <TaskClientProvider client={client}>
      <main>
        <h1>Sales chat</h1>
        <Chat tools={tools} />
      </main>
    </TaskClientProvider>
  </StrictMode>,
)
