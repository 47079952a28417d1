import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/** One message as a server-sent event. */
export function sseEvent(message: JsonObject): string {
  return sseData(JSON.stringify(message))
}

/** The same where the message is JSON already. */
export function sseData(json: string): string {
  return `event: message\ndata: ${json}\n\n`
}

/**
 * How much waits for a slow reader, in bytes. Of what comes on top, it gets the newest state of each task, and the newest progress
 * of its call.
 */
export const HIGH_WATER_MARK: number = 16 * 1024

/** A line that readers skip and proxies take for a sign of life. */
export const SSE_KEEP_ALIVE = ': keepalive\n\n'

/** The events and comments of a stream, each with the blank line that ends it. What breaks off is dropped. */
export async function* readSse(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const frames = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) yield `${frame}\n\n`
  }
}

/** The message of an event; undefined for a comment. */
export function messageOf(frame: string): JsonObject | undefined {
  const data = frame.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
  if (data.length === 0) return undefined
  const message: unknown = JSON.parse(data.join('\n'))
  return isJsonObject(message) ? message : undefined
}
