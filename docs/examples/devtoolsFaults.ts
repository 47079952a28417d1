import { createTaskClient } from 'taskwire'

const devtools = import.meta.env.DEV
  ? await import('taskwire/devtools')
  : undefined
const faults = devtools?.createFaultInjection()

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  ...(faults && { environment: faults.environment }),
})

devtools?.mountTaskwireDevtools(client, { faults })
