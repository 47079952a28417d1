import { createTaskClient } from 'taskwire'
import type { Tools } from './taskwire.gen'

export const client = createTaskClient<Tools>({ url: '/mcp' })

declare module 'taskwire' {
  interface Register {
    client: typeof client
  }
}

// #region devtools
if (import.meta.env.DEV) {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(client),
  )
}
// #endregion devtools
