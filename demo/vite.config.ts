import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import type { createMiddleware, DemoMiddleware } from './server/middleware.js'
import { site } from './sitePlugin.js'

/** What the page asks of the server: see `server/middleware.ts`. */
const isOurs = /^\/(mcp|__requests|__server)\b/

/** The MCP server, inside the development server: one process, one origin. */
function mcpServer(): Plugin {
  return {
    name: 'demo:mcp-server',
    configureServer({ middlewares, ssrLoadModule, httpServer }) {
      let loading: Promise<DemoMiddleware> | undefined
      // Loaded by Vite, which resolves `taskwire` to the sources, and once: its tasks live in memory.
      const load = () =>
        (loading ??= ssrLoadModule('/server/middleware.ts').then((module) =>
          (module['createMiddleware'] as typeof createMiddleware)(),
        ))
      middlewares.use((request, response, next) => {
        if (!isOurs.test(request.url ?? '')) return next()
        load().then(({ handle }) => handle(request, response, next), next)
      })
      httpServer?.once('close', () => void loading?.then(({ close }) => close()))
    },
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // `taskwire` and `taskwire/react` are our own sources here: see `paths` in tsconfig.json.
  resolve: { tsconfigPaths: true },
  server: { port: Number(process.env['PORT'] ?? 5173), strictPort: true },
  plugins: [react(), mcpServer(), site()],
})
