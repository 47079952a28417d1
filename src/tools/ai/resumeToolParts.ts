import { asError } from '../../core/protocol/asError.js'
import { isMcpTool, LEFT } from './mcpTools.js'
import { type ChatMessage, type OpenToolPart, openToolPart, type PartOutcome, withOutcome } from './toolPart.js'
import { isToolStatus } from './toolStatus.js'

/**
 * A chat of the AI SDK: the return value of `useChat()` of `@ai-sdk/react`, or a `Chat` of its other packages.
 *
 * @typeParam M The type of its messages.
 */
export interface ResumableChat<M extends ChatMessage = ChatMessage> {
  messages: M[]
  readonly status?: string
  /** Replaces the messages. If it is absent, `messages` is set. */
  readonly setMessages?: (update: (messages: M[]) => M[]) => void
  readonly addToolOutput: (
    output:
      | { tool: never; toolCallId: string; output: never }
      | { state: 'output-error'; tool: never; toolCallId: string; errorText: string },
  ) => unknown
}

/**
 * Resumes the tool calls of a chat after a reload: those in its stored messages that have no final output. It follows their
 * running tasks to the end, without running them again; meanwhile the parts of the messages show their status. When the
 * last task has ended, the chat continues automatically if its `sendAutomaticallyWhen` permits that.
 *
 * A call whose response never came is not made again: its part gets the message of `ToolCallInterruptedError`. A call that
 * was not made yet is made, unless `needsApproval` of {@link mcpTools} requires an approval that the user has not given.
 * Tools from elsewhere are not touched, and neither is a chat that is busy.
 *
 * Call it when the chat has the stored messages. Returns a function that stops it, for instance when the component
 * unmounts. The tasks then keep running, even with `onAbort: 'cancel'`.
 *
 * @param tools The tools of {@link mcpTools}, with the `chatId` of this chat if it has one. They may include other tools.
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
