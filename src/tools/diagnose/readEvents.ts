import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/** One event of a stream: the message in it, or undefined for a comment and for what is no message. */
export type StreamEvent = JsonObject | undefined

/** As much of a body, or of an event, as is read, in characters: a server may never stop sending. */
const MAX_TEXT = 1024 * 1024

/** The text of a body, as far as it is read. */
export async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < MAX_TEXT) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  return text.slice(0, MAX_TEXT)
}

/** The events of a stream as they come, with either kind of line ending. Ends at an event that is too long. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const frames = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) yield parseEvent(frame)
      if (rest.length > MAX_TEXT) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseEvent(frame: string): StreamEvent {
  const data = frame.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
  return parseMessage(data.join('\n'))
}

/** A JSON-RPC message; undefined for anything else. */
export function parseMessage(text: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return isJsonObject(message) && message['jsonrpc'] === '2.0' ? message : undefined
  } catch {
    return undefined
  }
}

/** True for the response to the one request that was sent: a server that could not read its id answers with null. */
export function isResponse(message: StreamEvent): message is JsonObject {
  return message !== undefined && ('result' in message || 'error' in message)
}
