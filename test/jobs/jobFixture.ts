import type { Job } from 'taskwire/jobs'

type Json = Record<string, unknown>

/** The tools and answers of a public server, as data. The id of its job is `id`. */
export interface JobFixture {
  readonly server: string
  readonly id: string
  readonly job: Job
  /** As `tools/list` has them. */
  readonly tools: readonly Json[]
  /** What the app calls, and what it gets in the end. */
  readonly call: { readonly name: string; readonly arguments: Json }
  readonly outcome: Json
  /** What the status tool is called with. */
  readonly asked: Json
  /** Which tool is called with what to cancel; undefined: the server has none. */
  readonly cancels: { readonly name: string; readonly arguments: Json } | undefined
  /** The `progress` that the state shows after `working`, where the server counts. */
  readonly progress: Json | undefined
  readonly reason: string
  readonly answers: {
    readonly started: Json
    readonly working: Json
    readonly completed: Json
    readonly failed: Json
    readonly cancelled: Json
    readonly gone: Json
    /** What is no state of a job. */
    readonly lie: Json
    readonly cancel: Json
  }
}

export const text = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }],
})

export const structured = (value: Json) => ({ ...text(value), structuredContent: value })

export const isError = (words: string) => ({ ...text(words), isError: true })

export const tool = (name: string, properties: Json, required: readonly string[], description = 'A tool.') => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required },
})

export const string = { type: 'string' }
