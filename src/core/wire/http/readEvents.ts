import { parseJson } from '../../protocol/json.js'
import { onAbort } from '../../time/abort.js'
import { createEventReader } from './eventReader.js'

/**
 * Calls `onMessage` with the JSON of each message in a stream of server-sent events (undefined for an event
 * without JSON, which servers send to keep the connection open), where the platform streams (React Native does not), else with all of them at the end. Resolves when that
 * returns true, which closes the stream, when the stream ends or breaks off, or when the signal aborts.
 */
export async function readEvents(
  response: Response,
  signal: AbortSignal,
  onMessage: (message: unknown) => boolean,
): Promise<void> {
  let isOver = false
  const feed = createEventReader((data) => {
    isOver ||= onMessage(parseJson(data))
  })
  if (!response.body) {
    feed(await response.text().catch(() => ''))
    return
  }
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  // A stream without a reader is closed, and the server sees that.
  const close = () => void reader.cancel().catch(() => {})
  const stopListening = onAbort(signal, close)
  try {
    while (!isOver) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done) return
      feed(decoder.decode(value, { stream: true }))
    }
  } finally {
    stopListening()
    close()
  }
}
