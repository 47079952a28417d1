import { useChat } from '@ai-sdk/react'
import {
  DirectChatTransport,
  isToolUIPart,
  type LanguageModel,
  lastAssistantMessageIsCompleteWithToolCalls,
  ToolLoopAgent,
} from 'ai'
import { useEffect, useState } from 'react'
import type { TaskClient } from 'taskwire'
import { type McpToolSet, resumeToolParts } from 'taskwire/ai'
import { ToolCard } from './ToolCard'

export interface ToolChatProps {
  id: string
  model: LanguageModel
  client: TaskClient
  /** `await mcpTools(client, { chatId: id })` */
  tools: McpToolSet
}

export function ToolChat({ id, model, client, tools }: ToolChatProps) {
  // Kept for this tab, for a reload. In `localStorage`, two tabs would both
  // continue the same chat, and overwrite it.
  const [stored] = useState(() =>
    JSON.parse(sessionStorage.getItem(id) ?? '[]'),
  )
  const [transport] = useState(
    () =>
      new DirectChatTransport({ agent: new ToolLoopAgent({ model, tools }) }),
  )
  const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithToolCalls
  const chat = useChat({
    id,
    messages: stored,
    transport,
    sendAutomaticallyWhen,
  })

  useEffect(
    () => sessionStorage.setItem(id, JSON.stringify(chat.messages)),
    [id, chat.messages],
  )

  // After a reload, once: resumes the tools that were running, and then the
  // chat.
  const [opened] = useState(chat)
  useEffect(() => resumeToolParts(opened, tools), [opened, tools])

  return (
    <main>
      {chat.messages.map(({ id, role, parts }) => (
        <article key={id} aria-label={role}>
          {parts.filter(isToolUIPart).map((part) => (
            <ToolCard key={part.toolCallId} part={part} client={client} />
          ))}
          <p>
            {parts
              .map((part) => (part.type === 'text' ? part.text : ''))
              .join('')}
          </p>
        </article>
      ))}
      <form
        action={(form) => {
          void chat.sendMessage({ text: String(form.get('text')) })
        }}
      >
        <input name="text" aria-label="Message" required />
        <button type="submit">Send</button>
      </form>
    </main>
  )
}
