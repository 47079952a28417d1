/** Answers that are streams, for as long as they are open. */
export interface OpenStreams {
  /** The same response; a stream is one that can be cut. */
  add(method: string, response: Response): Response
  /** Breaks the streams that answer a method, or all; returns how many there were. */
  cut(method?: string): number
}

/** No streams, so far. */
export function createOpenStreams(): OpenStreams {
  const streams = new Set<{ readonly method: string; readonly controller: AbortController }>()

  return {
    add(method, response) {
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      if (!isStream || response.body === null) return response
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const stream = { method, controller: new AbortController() }
      streams.add(stream)
      // If the reader, the server or `cut` ends it, the other side is notified.
      const over = response.body.pipeTo(writable, { signal: stream.controller.signal })
      void over.catch(() => {}).then(() => streams.delete(stream))
      return new Response(readable, response)
    },
    cut(method) {
      const cut = [...streams].filter((stream) => (method ?? stream.method) === stream.method)
      for (const stream of cut) {
        streams.delete(stream)
        // What the reader of a response gets whose connection breaks.
        stream.controller.abort(new TypeError('network error'))
      }
      return cut.length
    },
  }
}
