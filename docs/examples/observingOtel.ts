import { createTaskClient } from 'taskwire'
import { instrumentTaskClient } from 'taskwire/otel'

export const client = createTaskClient({ url: 'https://example.com/mcp' })
export const stop = instrumentTaskClient(client)
