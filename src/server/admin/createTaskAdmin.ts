import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { filterOf } from '../tasks/filterOf.js'
import type { TaskOperator } from '../tasks/taskOperator.js'
import { PAGE, STYLES } from './page.js'
import { SCRIPT } from './script.js'

/**
 * Decides who may use the page: returns true, or a response that refuses the request, such as a 401 with `WWW-Authenticate`
 * or a redirect to a sign-in page. False refuses the request with a 403.
 */
export type AdminGuard = (request: Request) => boolean | Response | Promise<boolean | Response>

/** Options of {@link createTaskAdmin}. */
export interface TaskAdminOptions {
  /** The task server, or any object with an `operator`. */
  readonly server: { readonly operator: TaskOperator }
  /** Called with every request. It has no default, because the page shows and changes the tasks of all users. */
  readonly guard: AdminGuard
}

/** A page for the operators of a task server, as a fetch handler. */
export interface TaskAdmin {
  /** Answers every request below the path that you mount it on. */
  readonly fetch: (request: Request) => Promise<Response>
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/**
 * Creates a small page that lists the tasks of a server, opens and cancels them, and runs failed ones again. Mount it on
 * its own path, such as `/admin/`, on the origin of the server or on another one. The page loads nothing from elsewhere. It
 * accepts requests that change something only from the page itself, and refuses pages of other origins, whatever the guard
 * says.
 *
 * @throws {TaskConfigurationError} if `server` has no operator, or there is no `guard`.
 *
 * @example
 * ```ts
 * import { createTaskAdmin } from 'taskwire/server/admin'
 *
 * const server = createTaskServer({ serverInfo: { name: 'reports', version: '1.0.0' }, tools: [report] })
 * const admin = createTaskAdmin({
 *   server,
 *   guard: (request) => request.headers.get('x-forwarded-user') === 'ann@example.com',
 * })
 * ```
 */
export function createTaskAdmin(options: TaskAdminOptions): TaskAdmin {
  const { server, guard }: Partial<TaskAdminOptions> = Object(options)
  if (typeof server?.operator?.list !== 'function') {
    throw new TaskConfigurationError('Failed to create the admin page: `server` has no `operator`. Pass a task server.')
  }
  if (typeof guard !== 'function') {
    throw new TaskConfigurationError(
      'Failed to create the admin page: there is no `guard`. Pass a function that returns true for requests of operators.',
    )
  }
  const { operator } = server

  async function serve(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1)
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined
    if (request.method === 'GET' && file !== undefined) return respond(file.body, file.type)
    if (request.method === 'GET' && name === 'tasks') return json(await operator.list(filterOf(url.searchParams)))
    // The page refers to its files by names, so its path has to end in a slash.
    if (request.method === 'GET')
      return new Response(null, { status: 308, headers: { ...HEADERS, Location: `./${name}/` } })
    const act = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
    if (request.method !== 'POST' || act === undefined) return problem(404, 'There is no such page.')
    if (!isOwn(request)) return problem(403, 'Only the page itself may send this.')
    const body: unknown = await request.json().catch(() => undefined)
    const taskId = isJsonObject(body) ? body['taskId'] : undefined
    if (typeof taskId !== 'string') return problem(400, 'The body has to be { "taskId": "…" }.')
    const task = await act(operator, taskId)
    return task === undefined ? problem(404, 'There is no such task; it may have expired.') : json(task)
  }

  return {
    async fetch(request) {
      try {
        const verdict: unknown = await guard(request)
        if (verdict instanceof Response) return verdict
        if (verdict !== true) return problem(403, 'You may not see this page.')
        return await serve(request)
      } catch (error) {
        if (error instanceof TaskConfigurationError) return problem(400, error.message)
        return problem(500, 'The store could not be reached, or the guard has failed.')
      }
    },
  }
}

const FILES: Readonly<Record<string, { readonly body: string; readonly type: string }>> = {
  '': { body: PAGE, type: 'text/html; charset=utf-8' },
  'admin.css': { body: STYLES, type: 'text/css; charset=utf-8' },
  'admin.js': { body: SCRIPT, type: 'text/javascript; charset=utf-8' },
}

/** By POST, so that the id of a task, which may give access to it, is in no URL and no log of one. */
const ACTIONS: Readonly<Record<string, (operator: TaskOperator, taskId: string) => Promise<unknown>>> = {
  open: (operator, taskId) => operator.open(taskId),
  cancel: (operator, taskId) => operator.cancel(taskId),
  'run-again': (operator, taskId) => operator.runAgain(taskId),
}

/** Other pages can neither send JSON nor this header without being asked for (CORS), which this handler does not allow. */
function isOwn({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  return headers.get('content-type') === 'application/json' && (site === null || site === 'same-origin')
}

function respond(body: string, type: string, status = 200): Response {
  return new Response(body, { status, headers: { ...HEADERS, 'Content-Type': type } })
}

const json = (body: unknown, status = 200) => respond(JSON.stringify(body), 'application/json', status)

const problem = (status: number, error: string) => json({ error }, status)
