import { toNodeHandler } from '@modelcontextprotocol/node'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { server } from './server.ts'

const mcp = toNodeHandler(server)

export default defineConfig({
  plugins: [
    react(),
    {
      name: 'mcp-server',
      configureServer: ({ middlewares }) => void middlewares.use('/mcp', mcp),
      configurePreviewServer: ({ middlewares }) =>
        void middlewares.use('/mcp', mcp),
    },
  ],
})
