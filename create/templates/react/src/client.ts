import { createTaskClient } from 'taskwire'
import {
  type GenerateReportArguments,
  type Tools,
  toolsHash,
} from './taskwire.gen'

export const client = createTaskClient<Tools>({
  url: '/mcp',
  toolsHash,
})

// Gives every hook the names, arguments and results of the server's tools, and
// what this app notes with its calls.
declare module 'taskwire' {
  interface Register {
    client: typeof client
    callMeta: GenerateReportArguments & { title: string }
  }
}

// Every call, every poll and every message, in a panel at the edge of the page.
// A production build leaves it out.
if (process.env.NODE_ENV === 'development' && typeof window !== 'undefined') {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(client),
  )
}
