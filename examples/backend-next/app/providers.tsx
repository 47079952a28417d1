'use client'

import type { ReactNode } from 'react'
import { createTaskClient } from 'taskwire/bridge'
import { TaskClientProvider } from 'taskwire/react'

// Nothing is called while Next renders on the server.
const client = createTaskClient({
  url: '/mcp',
})

export function Providers({ children }: { children: ReactNode }) {
  return <TaskClientProvider client={client}>{children}</TaskClientProvider>
}
