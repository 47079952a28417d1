import { createTaskClient } from 'taskwire'
import { type TaskClientWithoutTimers, withoutTimers } from 'taskwire/alarms'
import { fileStorage } from 'taskwire/backend'

const openClient = (): TaskClientWithoutTimers =>
  withoutTimers(createTaskClient, {
    url: 'https://mcp.example.com/mcp',
    storage: fileStorage('.taskwire'),
  })

/** Starts the report. The process may end when this resolves. */
export async function startReport(quarter: string): Promise<void> {
  const client = openClient()
  client
    .startToolCall(
      { name: 'generate_report', arguments: { quarter } },
      { key: quarter },
    )
    .result.catch(() => {})
  await client.tick()
  await client.close()
}

/**
 * The job of the scheduler: polls what is due. Returns when the next poll is
 * due, ms since the epoch.
 */
export async function followReports(): Promise<number | undefined> {
  const client = openClient()
  client.onToolCallSettled((call) => console.log(call.key, call.phase))
  await client.tick()
  const { nextWakeAt } = client
  await client.close()
  return nextWakeAt
}
