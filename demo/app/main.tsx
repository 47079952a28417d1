import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { TaskClientProvider } from 'taskwire/react'
import { App } from './App.js'
import { client } from './client.js'
import { faults, mountDevtools } from './devtools.js'
import { shareNetwork } from './magic/network.js'
import { countRequests } from './magic/tally.js'
import { renderOnArrival } from './studio/renderOnArrival.js'
import { isBeside, rendersOnArrival } from './switches.js'

document.documentElement.toggleAttribute('data-beside', isBeside)
if (faults) shareNetwork(faults)
countRequests(client)

const root = createRoot(element('app'))
const queryClient = new QueryClient()
root.render(
  <StrictMode>
    {/* #region provider */}
    <QueryClientProvider client={queryClient}>
      <TaskClientProvider client={client}>
        <App />
      </TaskClientProvider>
    </QueryClientProvider>
    {/* #endregion provider */}
  </StrictMode>,
)

// On a narrow screen its button would cover a shot.
if (!isBeside && matchMedia('(min-width: 641px)').matches) mountDevtools?.(client, { faults, position: 'bottom-left' })

if (rendersOnArrival) renderOnArrival(client)

// The first call would connect by itself. Connecting now shows the server before there is a call.
client.connect().catch(() => {
  // The store has the error, and the header shows it.
})

function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`index.html has no element #${id}`)
  return found
}
