import { ConnectionFailedError, createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://api.example/mcp' })

export async function explain(error: Error): Promise<string> {
  if (!(error instanceof ConnectionFailedError)) return error.message
  // Loaded when it is needed.
  const { diagnose } = await import('taskwire/diagnose')
  const { findings } = await diagnose(client)
  return (
    findings.map(({ problem, remedy }) => `${problem} ${remedy}`).join('\n') ||
    error.message
  )
}
