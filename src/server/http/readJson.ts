import { INVALID_REQUEST, PARSE_ERROR, readRequestBody } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { REFUSED } from '../base/errorCodes.js'
import type { ReportError } from '../base/reportError.js'
import { errorResponse } from './jsonRpcResponse.js'
import { isTextTooDeep, isValueTooDeep, MAX_NESTING } from './nesting.js'

/** The JSON of a request. */
export interface JsonSource {
  readonly request: Request
  /** What the app has parsed already; undefined where the body is to be read. */
  readonly parsedBody: unknown
  readonly maxBytes: number
}

/** The parsed body of a request, or the response that says why it cannot be parsed. */
export async function readJson(
  { request, parsedBody, maxBytes }: JsonSource,
  report: ReportError,
): Promise<{ body: unknown } | { refusal: Response }> {
  if (parsedBody !== undefined) return isValueTooDeep(parsedBody) ? tooDeep() : { body: parsedBody }
  const { bodyUsed, headers } = request
  let text = ''
  try {
    if (!bodyUsed) {
      const read = await readBody(request, maxBytes)
      if (read.tooLarge) return refuse(REFUSED, `Payload too large: the body may have at most ${maxBytes} bytes`, 413)
      text = read.text
    }
  } catch {
    return refuse(PARSE_ERROR, 'Parse error: the body could not be read')
  }
  if (text === '' && (bodyUsed || announcesBody(headers))) {
    // The client is not at fault, so the developer of the server has to see it, too.
    report(new TaskConfigurationError(`Failed to read a request: ${READ_BEFORE}`), { source: 'server' })
    return refuse(PARSE_ERROR, `Parse error: ${READ_BEFORE}`)
  }
  if (isTextTooDeep(text)) return tooDeep()
  try {
    return { body: JSON.parse(text) as unknown }
  } catch {
    return refuse(PARSE_ERROR, 'Parse error: the body is not JSON')
  }
}

/** Requests of Firefox, in a service worker for example, have no `body`: what can be measured there is the whole. */
async function readBody(request: Request, maxBytes: number): ReturnType<typeof readRequestBody> {
  if ((request.body as Request['body'] | undefined) !== undefined) return readRequestBody(request, maxBytes)
  if (Number(request.headers.get('content-length')) > maxBytes) return { tooLarge: true }
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > maxBytes) return { tooLarge: true }
  return { tooLarge: false, text: new TextDecoder().decode(bytes) }
}

/** HTTP lets no body end before its length: an empty one whose headers announce a body has been read before. */
function announcesBody(headers: Headers): boolean {
  return Number(headers.get('content-length')) > 0 || headers.has('transfer-encoding')
}

const READ_BEFORE =
  'the body is empty, because something before this server has read it, such as express.json(). ' +
  'Pass on what it has parsed: `handle(request, response, request.body)` behind toNodeHandler(), ' +
  '`fetch(request, { parsedBody })` elsewhere.'

const tooDeep = () =>
  refuse(INVALID_REQUEST, `Invalid Request: the body is nested more than ${MAX_NESTING} levels deep`)

function refuse(code: number, message: string, status = 400): { refusal: Response } {
  return { refusal: errorResponse(undefined, { code, message }, status) }
}
