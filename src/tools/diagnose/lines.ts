import type { Place } from './check.js'

type Lines = Readonly<Partial<Record<Place, string>>>

const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')

/** The lines that let in pages of an origin, before anything asks for credentials. */
export function originLines(origin: string): Lines {
  return {
    taskwire: `createTaskServer({ …, cors: { origin: ['${origin}'] } })`,
    express: `app.use(cors({ origin: '${origin}' }))  // package cors, before any app.use() that refuses`,
    hono: `app.use('*', cors({ origin: '${origin}' }))  // hono/cors, before any middleware that refuses`,
    fastmcp: `mcp.http_app(middleware=[Middleware(CORSMiddleware, allow_origins=['${origin}'], allow_methods=['*'])])`,
    nginx: `add_header Access-Control-Allow-Origin '${origin}' always; if ($request_method = OPTIONS) { return 204; }`,
  }
}

/** The lines that let such pages send headers. */
export function headerLines(names: readonly string[]): Lines {
  return {
    express: `cors({ …, allowedHeaders: [${quoted(names)}] })`,
    hono: `cors({ …, allowHeaders: [${quoted(names)}] })`,
    fastmcp: `Middleware(CORSMiddleware, …, allow_headers=[${quoted(names)}])`,
    nginx: `add_header Access-Control-Allow-Headers '${names.join(', ')}' always;`,
  }
}

/** A day. Browsers cut it to what they allow. */
const MAX_AGE = 86_400

/** The lines that spare a preflight for each request. */
export const maxAgeLines: Lines = {
  express: `cors({ …, maxAge: ${MAX_AGE} })`,
  hono: `cors({ …, maxAge: ${MAX_AGE} })`,
  fastmcp: `Middleware(CORSMiddleware, …, max_age=${MAX_AGE})`,
  nginx: `add_header Access-Control-Max-Age ${MAX_AGE} always;`,
}

/** The lines that let such pages read headers. */
export function exposeLines(names: readonly string[]): Lines {
  return {
    express: `cors({ …, exposedHeaders: [${quoted(names)}] })`,
    hono: `cors({ …, exposeHeaders: [${quoted(names)}] })`,
    fastmcp: `Middleware(CORSMiddleware, …, expose_headers=[${quoted(names)}])`,
    nginx: `add_header Access-Control-Expose-Headers '${names.join(', ')}' always;`,
  }
}

/** The lines that let in public pages to a private address. */
export const privateNetworkLines: Lines = {
  express: `app.use((req, res, next) => { res.set('Access-Control-Allow-Private-Network', 'true'); next() })  // before cors()`,
  hono: `app.use('*', async (c, next) => { await next(); c.header('Access-Control-Allow-Private-Network', 'true') })  // before cors()`,
  fastmcp: `Middleware(CORSMiddleware, …, allow_private_network=True)  # Starlette 0.51 or later`,
  nginx: `add_header Access-Control-Allow-Private-Network true always;`,
}

/** The lines that serve tasks. */
export const tasksLines: Lines = {
  taskwire: `createTaskServer({ …, tools: [defineTool({ …, taskSupport: 'optional' })] })`,
  express: `app.all('/mcp', (req, res) => handle(req, res, req.body))  // handle = toNodeHandler(createTaskServer({ … }))`,
  hono: `app.all('/mcp', (c) => server.fetch(c.req.raw))  // server = createTaskServer({ … }) of taskwire/server`,
  fastmcp: `@mcp.tool(task=True)  # pip install fastmcp-tasks`,
}

/** The lines that pass a stream on as it comes, and leave it open while nothing does. */
export const streamLines: Lines = {
  express: `app.use(compression({ filter: (req, res) => !/event-stream/.test(res.get('content-type')) }))`,
  nginx: `proxy_http_version 1.1; proxy_buffering off; proxy_read_timeout 1h;`,
}
