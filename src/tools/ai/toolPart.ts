import { isJsonObject } from '../../core/protocol/json.js'

/** The part of a chat message that Taskwire uses: it fits `UIMessage` of `ai` 6 and 7. */
export interface ChatMessage {
  readonly parts: readonly object[]
}

/** A part of a message that is a tool call without an output. */
export interface OpenToolPart {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** True where the tool was at work already, or the user has approved it. */
  readonly isAllowed: boolean
}

/**
 * The part if it is a tool call that has been asked for in full and has no output yet: it may be at work. One that waits
 * for the user's approval is none.
 */
export function openToolPart(part: object): OpenToolPart | undefined {
  const { type, state, toolCallId, input, preliminary, approval, providerExecuted } = part as Record<string, unknown>
  if (typeof type !== 'string' || typeof toolCallId !== 'string' || providerExecuted === true) return undefined
  const toolName = type === 'dynamic-tool' ? (part as { toolName?: unknown }).toolName : nameIn(type)
  if (typeof toolName !== 'string') return undefined
  const isApproved = isJsonObject(approval) && approval['approved'] === true
  const isRunning = state === 'output-available' && preliminary === true
  const isOpen = isRunning || state === 'input-available' || (state === 'approval-responded' && isApproved)
  return isOpen ? { toolCallId, toolName, input, isAllowed: isRunning || isApproved } : undefined
}

const PREFIX = 'tool-'

function nameIn(type: string): string | undefined {
  return type.startsWith(PREFIX) ? type.slice(PREFIX.length) : undefined
}

/** The outcome of a tool call as a part has it. */
export type PartOutcome =
  | { state: 'output-available'; output: unknown; preliminary?: true }
  | { state: 'output-error'; errorText: string }

/**
 * The messages with this outcome in the part of the tool call, which is open; all others keep their identity. A part that has its
 * output keeps it: a model may repeat the id.
 */
export function withOutcome<M extends ChatMessage>(
  messages: readonly M[],
  toolCallId: string,
  outcome: PartOutcome,
): M[] {
  return messages.map((message) => {
    if (!message.parts.some((part) => isPartOf(part, toolCallId))) return message
    const parts = message.parts.map((part) => {
      if (!isPartOf(part, toolCallId)) return part
      const { preliminary, output, errorText, ...rest } = part as Record<string, unknown>
      return { ...rest, ...outcome }
    })
    return { ...message, parts }
  })
}

function isPartOf(part: object, toolCallId: string): boolean {
  return openToolPart(part)?.toolCallId === toolCallId
}
