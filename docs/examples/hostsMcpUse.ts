import type { Transport } from '@modelcontextprotocol/client'
import { withTasks } from 'taskwire'

/** The option `wrapTransport` of mcp-use, such as that of `useMcp()`. */
export function wrapTransport(transport: Transport): Transport {
  return withTasks(transport, { resetTimeoutAfterMs: 30_000 })
}
