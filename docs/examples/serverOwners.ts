import { createTaskServer } from 'taskwire/server'

export const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [],
  // Any value other than a text is refused.
  owner: (_request, authInfo) =>
    authInfo?.extra?.['userId'] as string | undefined,
  maxTasksPerOwner: 20,
  maxTtlMs: 24 * 3_600_000,
})
