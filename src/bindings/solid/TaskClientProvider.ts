import { createComponent, createEffect, type JSX, useContext } from 'solid-js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { QueryClient, QueryClientContext, QueryClientProvider } from './solidQuery.js'
import { TaskClientContext } from './useTaskClient.js'

export interface TaskClientProviderProps {
  client: TaskClient
  children?: JSX.Element
}

/**
 * Provides the client to the components below it. With `resume: 'eager'`, it resumes the tasks of earlier visits when it
 * mounts. Inside a `QueryClientProvider` it uses the app's QueryClient; elsewhere it creates one.
 *
 * @example
 * ```tsx
 * const client = createTaskClient({ url: '/mcp' })
 * render(() => <TaskClientProvider client={client}><App /></TaskClientProvider>, root)
 * ```
 */
export function TaskClientProvider(props: TaskClientProviderProps): JSX.Element {
  createEffect(() => {
    if (props.client.resume === 'eager') void props.client.resumeToolCalls()
  })
  const hasQueryClient = useContext(QueryClientContext) !== undefined
  const children = () => props.children
  return createComponent(TaskClientContext.Provider, {
    value: () => props.client,
    get children() {
      return hasQueryClient ? children() : withQueryClient(children)
    },
  })
}

function withQueryClient(children: () => JSX.Element): JSX.Element {
  return createComponent(QueryClientProvider, {
    client: new QueryClient(),
    get children() {
      return children()
    },
  })
}
