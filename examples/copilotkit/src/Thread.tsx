import {
  type ReactFrontendTool,
  useAgent,
  useCopilotKit,
  useRenderToolCall,
} from '@copilotkit/react-core/v2'
import { openToolCalls, toolCallsOf, useStoredChat } from './useStoredChat'

export function Thread({ tools }: { tools: readonly ReactFrontendTool[] }) {
  const { copilotkit } = useCopilotKit()
  const { agent } = useAgent()
  const renderToolCall = useRenderToolCall()
  useStoredChat(tools)

  function send(form: FormData): void {
    agent.addMessage({
      id: crypto.randomUUID(),
      role: 'user',
      content: String(form.get('text')),
    })
    void copilotkit.runAgent({ agent })
  }

  return (
    <>
      {agent.messages
        .filter(({ role }) => role !== 'tool')
        .map((message) => (
          <article key={message.id} aria-label={message.role}>
            {toolCallsOf(message).map((toolCall) =>
              renderToolCall({ toolCall }),
            )}
            {typeof message.content === 'string' && <p>{message.content}</p>}
          </article>
        ))}
      <form action={send}>
        <input
          name="text"
          aria-label="Message"
          placeholder="How were the sales of Q3?"
          required
        />
        <button
          type="submit"
          disabled={agent.isRunning || openToolCalls(agent.messages).length > 0}
        >
          Send
        </button>
      </form>
    </>
  )
}
