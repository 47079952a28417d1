'use client'

import type { ReactNode } from 'react'
import { TaskClientProvider } from 'taskwire/react'
import { client } from './client'

// Nothing is called while Next renders on the server.
export function Providers({ children }: { children: ReactNode }) {
  return <TaskClientProvider client={client}>{children}</TaskClientProvider>
}
