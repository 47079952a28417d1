import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { createTaskServer } from 'taskwire/server'

const server = createTaskServer({ serverInfo: { name: 'reports', version: '1.0.0' }, tools: [] })

// #region guards
const guarded = {
  async fetch(request: Request): Promise<Response> {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    return refused ?? server.fetch(request)
  },
}

// #endregion guards

export { guarded }
