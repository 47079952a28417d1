import { createTaskClient } from 'taskwire'
import { recordReplay } from 'taskwire/devtools'

export const client = createTaskClient({ url: '/mcp' })
const recorder = recordReplay(client)

export async function reportBug(): Promise<URL> {
  const link = new URL('https://docs.example.com/replay')
  link.hash = await recorder.fragment()
  return link
}
