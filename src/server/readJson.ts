import { PARSE_ERROR, readRequestBody } from '@modelcontextprotocol/server'
import { REFUSED } from './errorCodes.js'
import { errorResponse } from './jsonRpcResponse.js'

/** The parsed body of a request, or the response that says why there is none. */
export async function readJson(request: Request, maxBytes: number): Promise<{ body: unknown } | { refusal: Response }> {
  let text: string
  try {
    const read = await readRequestBody(request, maxBytes)
    if (read.tooLarge) return refuse(REFUSED, `Payload too large: the body may have ${maxBytes} bytes`, 413)
    text = read.text
  } catch {
    return refuse(PARSE_ERROR, 'Parse error: the body could not be read', 400)
  }
  try {
    return { body: JSON.parse(text) as unknown }
  } catch {
    return refuse(PARSE_ERROR, 'Parse error: the body is not JSON', 400)
  }
}

function refuse(code: number, message: string, status: number): { refusal: Response } {
  return { refusal: errorResponse(undefined, { code, message }, status) }
}
