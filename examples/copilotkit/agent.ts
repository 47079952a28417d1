import type { Message, RunAgentInput } from '@copilotkit/react-core/v2'

/**
 * Takes the place of an agent: calls the tool for the quarter in the last
 * message, and says how the call ended. Put your own agent here.
 */
export const agent = {
  async fetch(request: Request): Promise<Response> {
    const { threadId, runId, messages } =
      (await request.json()) as RunAgentInput
    const events = [
      { type: 'RUN_STARTED', threadId, runId },
      answer(messages.at(-1)),
      { type: 'RUN_FINISHED', threadId, runId },
    ]
    const body = events
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('')
    return new Response(body, {
      headers: { 'Content-Type': 'text/event-stream' },
    })
  },
}

function answer(last: Message | undefined) {
  if (last?.role === 'tool')
    return {
      type: 'TEXT_MESSAGE_CHUNK',
      messageId: crypto.randomUUID(),
      delta: last.content,
    }
  const quarter = /Q[1-4]/.exec(String(last?.content))?.[0] ?? 'Q1'
  const delta = JSON.stringify({ quarter })
  return {
    type: 'TOOL_CALL_CHUNK',
    toolCallId: crypto.randomUUID(),
    toolCallName: 'generate_report',
    delta,
  }
}
