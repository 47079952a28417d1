import { MockLanguageModelV4 } from 'ai/test'

type Result = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type Part = Result['stream'] extends ReadableStream<infer P> ? P : never

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/**
 * Takes the place of a model: calls the tool for the quarter in the last
 * message, and says how the call ended. Put your own model here.
 */
export const model = new MockLanguageModelV4({
  doStream: async ({ prompt }) => {
    const last = prompt.at(-1)
    const parts =
      last?.role === 'tool'
        ? say(last)
        : callTool(JSON.stringify(last?.content))
    const unified = last?.role === 'tool' ? 'stop' : 'tool-calls'
    const all: Part[] = [
      { type: 'stream-start', warnings: [] },
      ...parts,
      { type: 'finish', finishReason: { unified, raw: unified }, usage },
    ]
    const stream = new ReadableStream<Part>({
      start(controller) {
        for (const part of all) controller.enqueue(part)
        controller.close()
      },
    })
    return { stream }
  },
})

function callTool(message: string): Part[] {
  const quarter = /Q[1-4]/.exec(message)?.[0] ?? 'Q1'
  const input = JSON.stringify({ quarter })
  return [
    {
      type: 'tool-call',
      toolCallId: crypto.randomUUID(),
      toolName: 'generate_report',
      input,
    },
  ]
}

function say({ content }: { content: readonly object[] }): Part[] {
  const outputs = content.map((part) =>
    'output' in part
      ? (part.output as { type: string; value: unknown })
      : undefined,
  )
  const texts = outputs.map((output) => {
    if (output?.type !== 'content')
      return `That did not work: ${String(output?.value)}`
    return (output.value as { text?: string }[])
      .map(({ text }) => text)
      .join('\n')
  })
  return [
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: texts.join('\n') },
    { type: 'text-end', id: 'text' },
  ]
}
