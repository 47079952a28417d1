import { CopilotKitProvider, HttpAgent } from '@copilotkit/react-core/v2'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import { Thread } from './Thread'
import { serverTools } from './tools'
import './index.css'

const client = createTaskClient({
  url: '/mcp',
})
const tools = await serverTools(client)
// An app has `runtimeUrl` in place of agents, the address of its CopilotKit
// runtime.
const agents = { default: new HttpAgent({ url: '/agent' }) }

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <TaskClientProvider client={client}>
      <CopilotKitProvider
        agents__unsafe_dev_only={agents}
        frontendTools={tools}
        enableInspector={false}
      >
        <main>
          <h1>Sales chat</h1>
          <Thread tools={tools} />
        </main>
      </CopilotKitProvider>
    </TaskClientProvider>
  </StrictMode>,
)
