import { useChat } from '@ai-sdk/react'
import { AssistantRuntimeProvider } from '@assistant-ui/react'
import { useAISDKRuntime } from '@assistant-ui/react-ai-sdk'
import {
  DirectChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  ToolLoopAgent,
} from 'ai'
import { useEffect, useState } from 'react'
import { type McpToolSet, resumeToolParts } from 'taskwire/ai'
import { model } from './model'
import { Thread } from './Thread'

export function Chat({ tools }: { tools: McpToolSet }) {
  // Kept for this tab, for a reload. In `localStorage`, two tabs would both
  // continue the same chat, and overwrite it.
  const [stored] = useState(() =>
    JSON.parse(sessionStorage.getItem('messages') ?? '[]'),
  )
  const [transport] = useState(
    () =>
      new DirectChatTransport({ agent: new ToolLoopAgent({ model, tools }) }),
  )
  const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithToolCalls
  const chat = useChat({ messages: stored, transport, sendAutomaticallyWhen })
  const runtime = useAISDKRuntime(chat)

  useEffect(
    () => sessionStorage.setItem('messages', JSON.stringify(chat.messages)),
    [chat.messages],
  )

  // Once after a reload: resume the tool calls that were running, and the
  // chat continues.
  const [opened] = useState(chat)
  useEffect(() => resumeToolParts(opened, tools), [opened, tools])

  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread />
    </AssistantRuntimeProvider>
  )
}
