import { createTaskClient } from 'taskwire'
import { createFaultInjection } from 'taskwire/devtools'

declare const fetchWithToken: (url: string | URL, init?: RequestInit) => Promise<Response>

// #region fetch
const faults = createFaultInjection({ environment: { fetch: fetchWithToken } })
const client = createTaskClient({
  url: 'https://example.com/mcp',
  environment: faults.environment,
  transportOptions: { fetch: faults.environment.fetch },
})
// #endregion fetch

void client
