import { toNodeHandler } from '@modelcontextprotocol/node'
import type { Plugin } from 'vite'
import { server } from './reports.ts'

/** Serves the tool at /mcp of Vite's development server. */
export function mcp(): Plugin {
  const handle = toNodeHandler(server)
  return { name: 'mcp', configureServer: ({ middlewares }) => void middlewares.use('/mcp', handle) }
}
