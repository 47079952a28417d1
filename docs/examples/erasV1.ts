import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { createTaskClient } from 'taskwire'

declare const sdk: Client
declare function show(message: string | undefined): void

export async function before(): Promise<unknown> {
  // #region before
  const stream = sdk.experimental.tasks.callToolStream({ name: 'generate_report' })
  for await (const message of stream) {
    if (message.type === 'taskStatus') show(message.task.statusMessage)
    if (message.type === 'result') return message.result
    if (message.type === 'error') throw message.error
  }
  // #endregion before
  return undefined
}

export async function after(): Promise<unknown> {
  // #region after
  const client = createTaskClient({ client: sdk, endpoint: 'https://example.com/mcp' })

  const call = client.startToolCall({ name: 'generate_report' }, { key: 'report' })
  call.subscribe(({ task }) => show(task?.statusMessage))
  return call.result
  // #endregion after
}
