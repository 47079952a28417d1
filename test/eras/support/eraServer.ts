import { z } from 'zod'

/** One JSON-RPC message as the server got it; `response` for a response to a request of its own. */
export interface EraRequest {
  readonly method: string
  readonly params: Record<string, unknown>
}

/** A server that serves the tools below over HTTP, and keeps the books. */
export interface EraServer {
  readonly url: string
  readonly requests: readonly EraRequest[]
  count(method: string): number
  close(): Promise<void>
}

export const POLL_INTERVAL_MS = 30

/** The same tools in both eras. `work` is always a task, `echo` and `ask_plainly` never are. */
export const TOOLS = {
  work: 'work',
  workOptionally: 'work_optionally',
  echo: 'echo',
  askPlainly: 'ask_plainly',
} as const

export const workInput = {
  outcome: z.enum(['success', 'failure', 'tool error', 'bad output', 'input', 'sampling']),
  steps: z.number().int(),
  text: z.string(),
}

export const workOutput = { steps: z.number() }

/** A form with one box to tick. */
export function question(message: string) {
  const requestedSchema = {
    type: 'object' as const,
    properties: { ok: { type: 'boolean' as const } },
    required: ['ok'],
  }
  return { mode: 'form' as const, message, requestedSchema }
}

/** What a model is asked. */
export const prompt = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say something.' } }],
  maxTokens: 10,
}
