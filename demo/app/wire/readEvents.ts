/** The same response; `onData` hears the data of its server-sent events on their way through. */
export function readEvents(response: Response, onData: (data: string) => void): Response {
  const decoder = new TextDecoder()
  let rest = ''
  const reader = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk)
      const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data:')) onData(line.slice(5))
    },
  })
  return new Response(response.body?.pipeThrough(reader) ?? null, response)
}
