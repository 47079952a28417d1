import { toNodeHandler } from '@modelcontextprotocol/node'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { server } from './server.ts'

const mcp = toNodeHandler(server)

export default defineConfig({
  plugins: [
    vue(),
    {
      name: 'mcp-server',
      configureServer: ({ middlewares }) => void middlewares.use('/mcp', mcp),
      configurePreviewServer: ({ middlewares }) =>
        void middlewares.use('/mcp', mcp),
    },
  ],
})
