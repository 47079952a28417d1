import { toNodeHandler } from '@modelcontextprotocol/node'
import react from '@vitejs/plugin-react'
import { type Connect, defineConfig } from 'vite'
import { agent } from './agent.ts'
import { server } from './server.ts'

function serve(middlewares: Connect.Server): void {
  middlewares.use('/mcp', toNodeHandler(server))
  middlewares.use('/agent', toNodeHandler(agent))
}

export default defineConfig({
  plugins: [
    react(),
    {
      name: 'servers',
      configureServer: ({ middlewares }) => serve(middlewares),
      configurePreviewServer: ({ middlewares }) => serve(middlewares),
    },
  ],
})
