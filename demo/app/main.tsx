import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { TaskClientProvider } from 'taskwire/react'
import { App } from './App.js'
import { client } from './client.js'
import { faults, mountDevtools } from './devtools.js'

createRoot(element('app')).render(
  <StrictMode>
    <TaskClientProvider client={client}>
      <App />
    </TaskClientProvider>
  </StrictMode>,
)

mountDevtools?.(client, { faults })

// The first call would connect by itself. Connecting now shows the server before there is a call.
client.connect().catch(() => {
  // The store has the error, and the header shows it.
})

function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`index.html has no element #${id}`)
  return found
}
