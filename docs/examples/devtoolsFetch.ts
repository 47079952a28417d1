import { createTaskClient } from 'taskwire'
import { createFaultInjection } from 'taskwire/devtools'

const fetchWithToken = (url: string | URL, init?: RequestInit) => {
  const headers = new Headers(init?.headers)
  headers.set('Authorization', `Bearer ${sessionStorage.getItem('token')}`)
  return fetch(url, { ...init, headers })
}

const faults = createFaultInjection({ environment: { fetch: fetchWithToken } })

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  environment: faults.environment,
  transportOptions: { fetch: faults.environment.fetch },
})
