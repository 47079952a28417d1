import { MockLanguageModelV4 } from 'ai/test'
import { createRoot } from 'react-dom/client'
import { createTaskClient } from 'taskwire'
import { mcpTools } from 'taskwire/ai'
import type { RenderInput } from '../../demo/shared/render.js'
import { ToolChat } from '../../docs/examples/ToolChat.js'

// The chat of the documentation, with a model that renders a shot and then says so.
const input: RenderInput = { shot: 'harbour', seconds: 6, ending: 'goes well' }

type StreamResult = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

const model = new MockLanguageModelV4({
  doStream: async ({ prompt }) => {
    const isAnswered = prompt.some(({ role }) => role === 'tool')
    const parts: StreamPart[] = isAnswered
      ? [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'The shot is there.' },
          { type: 'text-end', id: 't' },
        ]
      : [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'render_shot', input: JSON.stringify(input) }]
    const unified = isAnswered ? 'stop' : 'tool-calls'
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    }
    return {
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] })
          for (const part of parts) controller.enqueue(part)
          controller.enqueue({ type: 'finish', finishReason: { unified, raw: unified }, usage })
          controller.close()
        },
      }),
    }
  },
})

const client = createTaskClient({ url: '/mcp', push: false })
const tools = await mcpTools(client, { chatId: 'chat' })
const root = document.createElement('div')
document.body.append(root)
createRoot(root).render(<ToolChat id="chat" model={model} client={client} tools={tools} />)
