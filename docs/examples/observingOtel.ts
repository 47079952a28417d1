// #region client
import { createTaskClient } from 'taskwire'
import { instrumentTaskClient } from 'taskwire/otel'

const client = createTaskClient({ url: 'https://example.com/mcp' })
const stop = instrumentTaskClient(client)

// #endregion client

export { client, stop }
