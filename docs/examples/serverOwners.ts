import { createTaskServer } from 'taskwire/server'

// #region owners
export const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [],
  owner: (_request, authInfo) => `${authInfo?.extra?.['userId']}`,
  maxTasksPerOwner: 20,
  maxTtlMs: 24 * 3_600_000,
})
// #endregion owners
