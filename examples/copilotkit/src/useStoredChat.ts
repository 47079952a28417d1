import {
  type Message,
  type ReactFrontendTool,
  type ToolCall,
  useAgent,
  useCopilotKit,
} from '@copilotkit/react-core/v2'
import { useEffect } from 'react'

/**
 * Keeps the messages across a reload. Tools whose results were not there yet
 * are called again, and the agent continues.
 */
export function useStoredChat(tools: readonly ReactFrontendTool[]): void {
  const { copilotkit } = useCopilotKit()
  const { agent } = useAgent()

  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    // Kept for this tab, for a reload. In `localStorage`, two tabs would both
    // continue the same chat, and overwrite it.
    const stored: Message[] = JSON.parse(
      sessionStorage.getItem('messages') ?? '[]',
    )
    agent.setMessages(stored)

    async function finish(toolCall: ToolCall): Promise<void> {
      const tool = tools.find(({ name }) => name === toolCall.function.name)
      let content: unknown = 'The tool was not called.'
      try {
        // The server may no longer have the tool.
        if (tool?.handler)
          content = await tool.handler(
            JSON.parse(toolCall.function.arguments),
            { toolCall, agent, signal },
          )
      } catch {
        // The page was left before the agent had written all the arguments.
      }
      if (signal.aborted) return
      const asked = agent.messages.findIndex((message) =>
        toolCallsOf(message).some(({ id }) => id === toolCall.id),
      )
      const result = {
        id: crypto.randomUUID(),
        role: 'tool' as const,
        toolCallId: toolCall.id,
        content: String(content),
      }
      agent.setMessages(agent.messages.toSpliced(asked + 1, 0, result))
    }

    async function goOn(): Promise<void> {
      await Promise.all(openToolCalls(stored).map(finish))
      if (!signal.aborted && agent.messages.at(-1)?.role === 'tool')
        await copilotkit.runAgent({ agent })
    }

    void goOn()
    return () => leaving.abort()
  }, [copilotkit, agent, tools])

  // The agent changes the list in place. It is saved after each render, and
  // there is one after each change.
  useEffect(() =>
    sessionStorage.setItem('messages', JSON.stringify(agent.messages)),
  )
}

/** The tool calls that have no result. */
export function openToolCalls(messages: readonly Message[]): ToolCall[] {
  const ended = new Set(
    messages.map((message) =>
      message.role === 'tool' ? message.toolCallId : undefined,
    ),
  )
  return messages.flatMap(toolCallsOf).filter(({ id }) => !ended.has(id))
}

export function toolCallsOf(message: Message): ToolCall[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []) : []
}
