import { onAbort } from '../../time/abort.js'
import { createEventReader } from './eventReader.js'

/**
 * The JSON of each message in a stream of server-sent events, where the platform streams (React Native does not), else all
 * of them at the end. Ends when the stream does, where it breaks off, or when the signal aborts.
 */
export async function* sseMessages(response: Response, signal: AbortSignal): AsyncGenerator<unknown, void> {
  const arrived: unknown[] = []
  const feed = createEventReader((data) => arrived.push(...parsed(data)))
  if (!response.body) {
    feed(await response.text().catch(() => ''))
    yield* arrived
    return
  }
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  // A stream without a reader is closed, and the server sees that.
  const close = () => void reader.cancel().catch(() => {})
  const stopListening = onAbort(signal, close)
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done) return
      feed(decoder.decode(value, { stream: true }))
      yield* arrived.splice(0)
    }
  } finally {
    stopListening()
    close()
  }
}

/** Nothing where an event is no JSON, as those are that keep a connection open. */
function parsed(data: string): unknown[] {
  try {
    return [JSON.parse(data)]
  } catch {
    return []
  }
}
