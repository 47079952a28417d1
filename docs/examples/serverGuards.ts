import { createServer, type RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { createTaskServer } from 'taskwire/server'

const server = createTaskServer({ serverInfo: { name: 'reports', version: '1.0.0' }, tools: [] })

const guarded = {
  async fetch(request: Request): Promise<Response> {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    return refused ?? server.fetch(request)
  },
}

createServer(toNodeHandler(guarded) as RequestListener).listen(3000, '127.0.0.1')
