import type { RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { Plugin } from 'vite'
import { server } from './reports.ts'

/** Serves the tool at /mcp, in `vite` and in `vite preview`. */
export function mcp(): Plugin {
  // The cast is for exactOptionalPropertyTypes; without that option it is not
  // needed.
  const handle = toNodeHandler(server) as RequestListener
  return {
    name: 'mcp',
    configureServer: ({ middlewares }) => void middlewares.use('/mcp', handle),
    configurePreviewServer: ({ middlewares }) =>
      void middlewares.use('/mcp', handle),
  }
}
