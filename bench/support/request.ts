import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** Sends a request and resolves with its result. */
export type Request = (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>

/** Requests over a transport, with nothing around them. */
export async function createRequest(transport: Transport): Promise<Request> {
  let lastId = 0
  const waiting = new Map<unknown, (message: JSONRPCMessage) => void>()
  transport.onmessage = (message) => {
    if (!('id' in message)) return
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  }
  await transport.start()
  return (method, params) =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, (message) => {
        if ('result' in message) resolve(message.result)
        else reject(new Error(`${method} was refused`))
      })
      transport.send({ jsonrpc: '2.0', id: lastId, method, params }).catch(reject)
    })
}
