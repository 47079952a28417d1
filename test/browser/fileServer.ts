import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

/** What the simplest host of static files does: a file, or 404. */
export interface FileServer {
  /** Where the folder is. */
  readonly url: string
  /** The paths that were asked for and are not there. */
  readonly missing: string[]
  close(): void
}

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** Serves a folder under a path such as `/some/folder/`. */
export async function serveFiles(folder: string, base: string): Promise<FileServer> {
  const missing: string[] = []
  const http = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    const file = path.startsWith(base) ? join(folder, normalize(path.slice(base.length - 1))) : ''
    try {
      const content = await readFile(file)
      response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream').end(content)
    } catch {
      missing.push(pathname)
      response.writeHead(404).end()
    }
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${base}`,
    missing,
    close() {
      http.close()
      http.closeAllConnections()
    },
  }
}
