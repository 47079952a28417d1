/** What is longer is no message that anybody reads, and is let go of. */
const MAX_EVENT = 1 << 20

/** Calls the listener with the data of each server-sent event, until the stream ends or the signal aborts. */
export async function readEvents(
  { body }: Response,
  signal: AbortSignal,
  onData: (data: string) => void,
): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  const stop = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  try {
    let rest = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const events = (rest + value).split(/\r?\n\r?\n/)
      rest = (events.pop() ?? '').slice(-MAX_EVENT)
      for (const event of events) {
        const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
        if (data.length > 0) onData(data.join('\n'))
      }
    }
  } catch {
    // The stream was aborted or broke off, and its reader gets the error.
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
