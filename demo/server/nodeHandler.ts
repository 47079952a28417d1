import type { IncomingMessage, ServerResponse } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import type { TaskServer } from 'taskwire/server'

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** A task server for `node:http` and its kin. */
export function nodeHandler(server: Pick<TaskServer, 'fetch'>): NodeHandler {
  const handle = toNodeHandler(server)
  // Node declares `method?: string | undefined`, the SDK `method?: string`: the same but for `exactOptionalPropertyTypes`.
  return (request, response) => void handle(request as NodeIncomingMessageLike, response)
}
