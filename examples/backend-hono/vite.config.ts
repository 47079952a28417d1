import { getRequestListener } from '@hono/node-server'
import react from '@vitejs/plugin-react'
import { type Connect, defineConfig } from 'vite'
import { app } from './server/app.ts'

const listener = getRequestListener(app.fetch)
const api: Connect.NextHandleFunction = (request, response, next) =>
  request.url?.startsWith('/api/') ? void listener(request, response) : next()

export default defineConfig({
  plugins: [
    react(),
    {
      name: 'backend',
      configureServer: ({ middlewares }) => void middlewares.use(api),
      configurePreviewServer: ({ middlewares }) => void middlewares.use(api),
    },
  ],
})
