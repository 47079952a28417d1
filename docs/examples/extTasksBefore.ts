import type { Client } from '@modelcontextprotocol/client'
import {
  type ClientSessionPortOptions,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  taskViewFromExecutionEvent,
} from '@modelcontextprotocol/ext-tasks/client'

/**
 * `raw`: for a server of 2026-07-28 the `rawDispatch` and the
 * `v2RequestFraming` that the host has to write.
 */
export async function report(
  sdk: Client,
  raw: ClientSessionPortOptions,
  show: (message?: string) => void,
) {
  const session = createTaskSessionFromClient(sdk, {
    endpointId: 'https://example.com/mcp',
    ...raw,
  })
  try {
    const execution = await session.callTool('generate_report', {
      quarter: 'Q3',
    })
    const { outcome } = await execution.settle({
      onEvent: (event) =>
        show(taskViewFromExecutionEvent(event)?.statusMessage),
    })
    return resultFromTaskOutcome(outcome)
  } finally {
    await session.close()
  }
}
