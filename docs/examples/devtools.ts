import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

if (import.meta.env.DEV) {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(client),
  )
}
