import { instrumentTaskServer } from 'taskwire/otel'
import { createTaskServer, type ToolDefinition } from 'taskwire/server'

declare const report: ToolDefinition

// #region server
const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [report],
  instrument: instrumentTaskServer(),
})

// #endregion server

export { server }
