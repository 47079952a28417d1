import { onMount, setContext } from 'svelte'
import type { TaskClient } from '../../core/client/taskClient.js'
import { getQueryClientContext, QueryClient, setQueryClientContext } from './svelteQuery.js'
import { TASK_CLIENT } from './useTaskClient.js'

/**
 * Provides the client to the calling component and the components below it. With `resume: 'eager'`, it resumes the tasks of
 * earlier visits when the component is mounted. Without a `QueryClientProvider` above, it creates a QueryClient.
 *
 * @example
 * ```ts
 * // in the script of +layout.svelte
 * setTaskClient(createTaskClient({ url: '/mcp' }))
 * ```
 */
export function setTaskClient(client: TaskClient): void {
  setContext(TASK_CLIENT, client)
  onMount(() => {
    if (client.resume === 'eager') void client.resumeToolCalls()
  })
  if (hasQueryClient()) return
  const queryClient = new QueryClient()
  setQueryClientContext(queryClient)
  onMount(() => {
    queryClient.mount()
    return () => queryClient.unmount()
  })
}

function hasQueryClient(): boolean {
  try {
    return getQueryClientContext() !== undefined
  } catch {
    return false
  }
}
