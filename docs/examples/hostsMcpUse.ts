import type { Transport } from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'

/** The option `wrapTransport` of mcp-use, such as that of `useMcp()`. */
export const wrapTransport = (transport: Transport): Transport =>
  withTasks(transport, { resetTimeoutAfterMs: 30_000 })
