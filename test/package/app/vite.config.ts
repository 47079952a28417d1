import { toNodeHandler } from '@modelcontextprotocol/node'
import react from '@vitejs/plugin-react'
import { compile, compileModule } from 'svelte/compiler'
import { createTaskServer, defineTool } from 'taskwire/server'
import { defineConfig } from 'vite'
import { z } from 'zod'

const generateReport = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ title: z.string() }),
  taskSupport: 'required',
  async handler({ title }, { progress }) {
    progress('Counting')
    await new Promise((resolve) => setTimeout(resolve, 300))
    return { content: [{ type: 'text', text: `Report: ${title}` }] }
  },
})

const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [generateReport],
  pollIntervalMs: 100,
})
const handle = toNodeHandler(server)

export default defineConfig({
  build: { rolldownOptions: { input: ['index.html', 'vue.html', 'svelte.html', 'solid.html'] } },
  plugins: [
    react(),
    {
      name: 'svelte',
      transform: (code, id) => {
        if (id.endsWith('.svelte')) return compile(code, { filename: id }).js
        return id.endsWith('.svelte.js') ? compileModule(code, { filename: id }).js : undefined
      },
    },
    {
      name: 'mcp',
      configurePreviewServer: ({ middlewares }) => {
        // A request that reaches a server has both, which the types of Node leave open.
        middlewares.use('/mcp', (request, response) =>
          handle(request as typeof request & { method: string; url: string }, response),
        )
      },
    },
  ],
})
