import type { IncomingMessage, ServerResponse } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import type { TaskServer } from 'taskwire/server'
import { ConnectionBrokenError } from './killableServer.js'

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** A task server for `node:http` and its kin. A connection that the server breaks is broken, at the start or in the middle. */
export function nodeHandler({ fetch }: Pick<TaskServer, 'fetch'>): NodeHandler {
  return (request, response) => {
    const breakOff = () => void response.destroy()
    const handle = toNodeHandler({
      async fetch(webRequest, options) {
        try {
          return told(await fetch(webRequest, options), breakOff)
        } catch (error) {
          if (!(error instanceof ConnectionBrokenError)) throw error
          breakOff()
          // There is nothing left to answer to.
          return new Promise<never>(() => {})
        }
      },
    })
    // Node declares `method?: string | undefined`, the SDK `method?: string`: the same but for `exactOptionalPropertyTypes`.
    void handle(request as NodeIncomingMessageLike, response)
  }
}

/** The same response. Calls `onBroken` first where its body fails, which the SDK would take for its end. */
function told(response: Response, onBroken: () => void): Response {
  if (response.body === null) return response
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  response.body.pipeTo(writable, { preventAbort: true }).catch((reason: unknown) => {
    onBroken()
    return writable.abort(reason)
  })
  return new Response(readable, response)
}
