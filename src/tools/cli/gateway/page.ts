import { readFile } from 'node:fs/promises'
import { PAGE, STYLES } from './pageFiles.js'

/** The build makes this one file of src/tools/page, beside this one. */
const SCRIPT = './page.bundle.js'

/** Its own script and style, pictures of results, and nothing from elsewhere; in no frame of another page. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; media-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/** The response to a request for the page or one of its files; undefined where it asks for something else. */
export async function pageResponse(request: Request): Promise<Response | undefined> {
  if (request.method !== 'GET') return undefined
  const { pathname } = new URL(request.url)
  if (pathname === '/') return respond(PAGE, 'html')
  if (pathname === '/page.css') return respond(STYLES, 'css')
  if (pathname === '/page.js') return respond(await readFile(new URL(SCRIPT, import.meta.url), 'utf8'), 'javascript')
  return undefined
}

function respond(body: string, type: string): Response {
  return new Response(body, { headers: { ...HEADERS, 'Content-Type': `text/${type}; charset=utf-8` } })
}
