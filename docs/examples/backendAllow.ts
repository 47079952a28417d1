import { createTaskBridge } from 'taskwire/bridge/server'
import { clientOfUser } from './backendClients.ts'

export const bridge = createTaskBridge({
  clientOf: (request) => clientOfUser(request.headers.get('x-user') ?? 'guest'),
  // Called before each action. Only `true` allows the action.
  allow: ({ type, tool, arguments: args }) => {
    if (tool === 'generate_report')
      return type !== 'start' || args?.['quarter'] === 'Q3'
    return tool === 'search' && type === 'cancel'
  },
  // Pages see no other calls of the user's client.
  shows: ({ name }) => name === 'generate_report' || name === 'search',
  // Pages get the summary, but not its rows.
  select: ({ result }) => ({ content: result.content }),
})
