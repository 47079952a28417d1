import type { Client } from '@modelcontextprotocol/sdk/client/index.js'

export async function report(sdk: Client, show: (message?: string) => void) {
  const stream = sdk.experimental.tasks.callToolStream({
    name: 'generate_report',
  })
  for await (const message of stream) {
    if (message.type === 'taskStatus') show(message.task.statusMessage)
    if (message.type === 'result') return message.result
    if (message.type === 'error') throw message.error
  }
  throw new Error('The stream has ended without a result.')
}
