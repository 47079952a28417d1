import { asError } from '../../core/protocol/asError.js'
import { isMcpTool, LEFT } from './mcpTools.js'
import { type ChatMessage, type OpenToolPart, openToolPart, type PartOutcome, withOutcome } from './toolPart.js'
import { isToolStatus } from './toolStatus.js'

/**
 * A chat of the AI SDK: what `useChat()` of `@ai-sdk/react` returns, or a `Chat` of its other packages.
 *
 * @typeParam M Its messages.
 */
export interface ResumableChat<M extends ChatMessage = ChatMessage> {
  messages: M[]
  readonly status?: string
  /** Without it, `messages` is set. */
  readonly setMessages?: (update: (messages: M[]) => M[]) => void
  readonly addToolOutput: (
    output:
      | { tool: never; toolCallId: string; output: never }
      | { state: 'output-error'; tool: never; toolCallId: string; errorText: string },
  ) => unknown
}

/**
 * Resumes the tool calls of a chat that a reload has interrupted: those in its stored messages that have no final output. The
 * tasks of their calls are followed to the end and not run again, and the parts of the messages show their status meanwhile.
 * When the last of them has ended, the chat continues automatically if its `sendAutomaticallyWhen` says so.
 *
 * A call whose answer never came is not made again: its part gets the message of `ToolCallInterruptedError`. A call that was
 * not made yet is made, unless `needsApproval` of {@link mcpTools} asks for an approval that the user has not given. Tools
 * of others are left alone. So is a chat that is busy.
 *
 * Call it when the stored messages are in the chat. Returns a function that stops it, for instance when the component unmounts:
 * the tasks keep running, also with `onAbort: 'cancel'`.
 *
 * @param tools Those of {@link mcpTools}, with the `chatId` of this chat where it has one; others may be among them.
 *
 * @example
 * ```tsx
 * useEffect(() => resumeToolParts(chat, tools), [])
 * ```
 */
export function resumeToolParts<M extends ChatMessage>(
  chat: ResumableChat<M>,
  tools: Readonly<Record<string, unknown>>,
): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  if (chat.status === 'submitted' || chat.status === 'streaming') return () => {}
  const open = new Map<string, OpenToolPart>()
  for (const part of chat.messages.flatMap(({ parts }) => parts.map(openToolPart))) {
    if (part && isMcpTool(tools[part.toolName])) open.set(part.toolCallId, part)
  }

  function show(toolCallId: string, outcome: PartOutcome): void {
    const update = (messages: M[]) => withOutcome(messages, toolCallId, outcome)
    if (chat.setMessages) chat.setMessages(update)
    else chat.messages = update(chat.messages)
  }

  /** The chat goes on when it is told of an output: not before it has all of them, preliminary ones being none. */
  function finish({ toolCallId, toolName }: OpenToolPart, outcome: PartOutcome): void {
    open.delete(toolCallId)
    show(toolCallId, outcome)
    if (open.size > 0) return
    const tool = toolName as never
    if (outcome.state === 'output-error')
      void chat.addToolOutput({ ...outcome, state: 'output-error', tool, toolCallId })
    else void chat.addToolOutput({ tool, toolCallId, output: outcome.output as never })
  }

  async function resume(part: OpenToolPart): Promise<void> {
    const { toolCallId, toolName, input, isAllowed } = part
    const tool = tools[toolName]
    if (!isMcpTool(tool)) return
    try {
      if (!isAllowed && (await tool.needsApproval?.(input))) {
        open.delete(toolCallId)
        return
      }
      let output: unknown
      for await (output of tool.execute(input, { toolCallId, abortSignal: signal })) {
        if (signal.aborted) return
        if (isToolStatus(output)) show(toolCallId, { state: 'output-available', output, preliminary: true })
      }
      if (!signal.aborted) finish(part, { state: 'output-available', output })
    } catch (error) {
      if (!signal.aborted) finish(part, { state: 'output-error', errorText: asError(error).message })
    }
  }

  for (const part of [...open.values()]) void resume(part)
  return () => stopping.abort(LEFT)
}
