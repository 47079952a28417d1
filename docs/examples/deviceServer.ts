import type { RecordTable } from './deviceTable.ts'

export interface RecordHandlerOptions {
  table: RecordTable
  /** The user whose session sends the request; undefined without a session. */
  userOf: (request: Request) => Promise<string | undefined>
  /** The path at which the handler is mounted, such as `/api/task-records`. */
  path: string
  now?: () => number
}

const MAX_RECORDS = 1000
const MAX_NAME = 512
const MAX_TEXT = 60_000

/**
 * How long a missing record is reserved for the browser that has asked for it,
 * and is about to write it, in ms.
 */
const RESERVED_MS = 5000

/** Serves the records of the user who is signed in, and no others. */
export function createRecordHandler({
  table,
  userOf,
  path,
  now = Date.now,
}: RecordHandlerOptions) {
  return async function handle(request: Request): Promise<Response> {
    const user = await userOf(request)
    if (user === undefined) return answer(401)
    // Forms and links of other origins cannot set this header, so they cannot
    // use the session.
    const browserId = request.headers.get('X-Browser-Id')
    if (!browserId || browserId.length > 100) return answer(400)
    const name = nameOf(request, path)
    if (name === '' && request.method === 'GET')
      return Response.json(await table.names(user), NO_STORE)
    if (!name?.startsWith('taskwire:') || name.length > MAX_NAME)
      return answer(400)
    switch (request.method) {
      case 'GET':
        return read(user, name, browserId)
      case 'PUT':
        return write(user, name, request)
      case 'DELETE':
        await table.remove(user, name)
        await table.release(user, name)
        return answer(204)
      default:
        return answer(405)
    }
  }

  async function read(
    user: string,
    name: string,
    browserId: string,
  ): Promise<Response> {
    // Reserve first: a record that is written in the meantime is then found.
    const isReserved = await table.reserve(
      user,
      name,
      browserId,
      now(),
      now() + RESERVED_MS,
    )
    const row = await table.read(user, name)
    if (row !== undefined)
      return new Response(row.text, {
        headers: { ...NO_STORE.headers, ETag: `"${row.version}"` },
      })
    return isReserved ? answer(404) : answer(423)
  }

  async function write(
    user: string,
    name: string,
    request: Request,
  ): Promise<Response> {
    const isNew = request.headers.get('If-None-Match') === '*'
    const version = isNew
      ? 0
      : Number(/^"(\d+)"$/.exec(request.headers.get('If-Match') ?? '')?.[1])
    if (Number.isNaN(version)) return answer(428)
    const text = await textOf(request)
    if (text === undefined) return answer(413)
    if (isNew && (await table.names(user)).length >= MAX_RECORDS)
      return answer(507)
    if (!(await table.write(user, name, text, version))) return answer(412)
    await table.release(user, name)
    return new Response(null, {
      status: 204,
      headers: { ETag: `"${version + 1}"` },
    })
  }
}

const NO_STORE = { headers: { 'Cache-Control': 'no-store' } }

function answer(status: number): Response {
  return new Response(null, { status, ...NO_STORE })
}

function nameOf(request: Request, path: string): string | undefined {
  const { pathname } = new URL(request.url)
  if (!pathname.startsWith(`${path}/`)) return undefined
  try {
    return decodeURIComponent(pathname.slice(path.length + 1))
  } catch {
    return undefined
  }
}

/** Reads the body up to the limit; undefined if the body is longer. */
async function textOf({ body }: Request): Promise<string | undefined> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let text = ''
  let bytes = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (bytes > MAX_TEXT) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
  return text
}
