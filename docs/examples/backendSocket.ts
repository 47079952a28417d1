import type { IncomingMessage } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { createTaskBridge } from 'taskwire/bridge/server'
import { WebSocketServer } from 'ws'
import { clientOfUser } from './backendClients.ts'

const bridge = createTaskBridge({
  clientOf: (request) => clientOfUser(request.headers.get('x-user') ?? 'guest'),
  allow: { tools: ['generate_report'] },
})

const app = express()
app.all('/api/calls', toNodeHandler({ fetch: bridge.fetch }))
const http = app.listen(8080)

const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 })
http.on('upgrade', (incoming, socket, head) => {
  const request = requestOf(incoming)
  // An error thrown in an event listener would end the process.
  if (request === undefined) {
    socket.destroy()
    return
  }
  sockets.handleUpgrade(incoming, socket, head, (page) =>
    bridge.openSocket(request, page),
  )
})

/**
 * The parts of the request that the bridge reads: the URL, the cookies and the
 * origin of the page. Undefined if it is for something else, or the host
 * cannot be read.
 */
function requestOf({
  url = '/',
  headers,
}: IncomingMessage): Request | undefined {
  if (url.split('?')[0] !== '/api/calls') return undefined
  try {
    return new Request(new URL(url, `http://${headers.host}`), {
      headers: headers as Record<string, string>,
    })
  } catch {
    return undefined
  }
}
