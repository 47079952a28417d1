import type { RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { Plugin } from 'vite'
import { server } from './reports.ts'

/** Serves the tool at /mcp, in `vite` and in `vite preview`. */
export function mcp(): Plugin {
  // Needed only if your tsconfig sets `exactOptionalPropertyTypes`.
  const handle = toNodeHandler(server) as RequestListener
  return {
    name: 'mcp',
    configureServer: ({ middlewares }) => void middlewares.use('/mcp', handle),
    configurePreviewServer: ({ middlewares }) =>
      void middlewares.use('/mcp', handle),
  }
}
