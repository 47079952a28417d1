// Runs a TypeScript file as Node would run JavaScript: `node scripts/run.mjs FILE [arguments]`.
// Node 20 does not know TypeScript; Vite, which is here anyway, does, and it resolves `taskwire` to src.
import { resolve } from 'node:path'
import { createServer } from 'vite'

const [node = 'node', , file, ...rest] = process.argv
if (file === undefined) {
  console.error('Usage: node scripts/run.mjs FILE [arguments]')
  process.exit(2)
}
process.argv = [node, resolve(file), ...rest]

// Never closed: the file may import more later. It keeps nothing alive: the process ends when the file is done.
const vite = await createServer({
  configFile: false,
  appType: 'custom',
  logLevel: 'silent',
  resolve: { tsconfigPaths: true },
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, ws: false, watch: null },
})

try {
  await vite.ssrLoadModule(resolve(file), { fixStacktrace: true })
} catch (error) {
  console.error(error)
  process.exit(1)
}
