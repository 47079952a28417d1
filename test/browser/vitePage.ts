import { createServer } from 'vite'

/** A blank page at `/`, from which a test imports modules of the repository as Vite serves them. */
export interface VitePage {
  readonly url: string
  close(): Promise<void>
}

export interface VitePageOptions {
  readonly title: string
  /** The name of its cache under `node_modules/.vite`. */
  readonly cache: string
  /** The packages that its modules import: what Vite finds later makes it reload the page. */
  readonly packages: readonly string[]
  /** A folder of files to serve beside the page. @default none */
  readonly publicDir?: string
}

/** Serves a blank page on a free port. */
export async function startVitePage({ title, cache, packages, publicDir }: VitePageOptions): Promise<VitePage> {
  const vite = await createServer({
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    resolve: { tsconfigPaths: true },
    publicDir: publicDir ?? false,
    cacheDir: `node_modules/.vite/${cache}`,
    optimizeDeps: { noDiscovery: true, include: [...packages] },
    server: { port: 0, watch: null },
    plugins: [
      {
        name: 'page',
        configureServer: ({ middlewares }) => {
          middlewares.use((request, response, next) => {
            if (request.url !== '/') return next()
            response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>${title}</title>`)
          })
        },
      },
    ],
  })
  await vite.listen()
  const [url = ''] = vite.resolvedUrls?.local ?? []
  return { url, close: () => vite.close() }
}
