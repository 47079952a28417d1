import { type ReactNode, useContext, useEffect, useState } from 'react'
import type { TaskClient } from '../../core/client/taskClient.js'
import { QueryClient, QueryClientContext, QueryClientProvider } from './reactQuery.js'
import { TaskClientContext } from './useTaskClient.js'

export interface TaskClientProviderProps {
  client: TaskClient
  children?: ReactNode
}

/**
 * Provides the client to the hooks below it. With `resume: 'eager'`, it resumes the tasks of earlier visits when it mounts.
 * Inside a `QueryClientProvider` it uses the app's QueryClient; elsewhere it creates one.
 *
 * @example
 * ```tsx
 * const client = createTaskClient({ url: '/mcp' })
 * createRoot(root).render(<TaskClientProvider client={client}><App /></TaskClientProvider>)
 * ```
 */
export function TaskClientProvider({ client, children }: TaskClientProviderProps): ReactNode {
  useEffect(() => {
    if (client.resume === 'eager') void client.resumeToolCalls()
  }, [client])
  return (
    <TaskClientContext.Provider value={client}>
      <QueryClientFallback>{children}</QueryClientFallback>
    </TaskClientContext.Provider>
  )
}

function QueryClientFallback({ children }: { children: ReactNode }): ReactNode {
  const outer = useContext(QueryClientContext)
  const [own] = useState(() => (outer === undefined ? new QueryClient() : undefined))
  return own === undefined ? children : <QueryClientProvider client={own}>{children}</QueryClientProvider>
}
