import * as ai7 from 'ai'
import * as ai7Test from 'ai/test'
import * as ai6 from 'ai-6'
import * as ai6Test from 'ai-6/test'

type Model = ai6Test.MockLanguageModelV3
type Prompt = Model['doStreamCalls'][number]['prompt']
type StreamResult = Awaited<ReturnType<Model['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

/** The versions of the AI SDK that tools are made for. */
export const versions = [
  {
    version: 'ai 7',
    ai: ai7,
    MockLanguageModelV3: ai7Test.MockLanguageModelV3 as unknown as typeof ai6Test.MockLanguageModelV3,
  },
  { version: 'ai 6', ai: ai6 as unknown as typeof ai7, MockLanguageModelV3: ai6Test.MockLanguageModelV3 },
] as const

/** What a model asks for. */
export interface AskedTool {
  readonly id: string
  readonly name: string
  readonly input: object
}

export interface ScriptedModel {
  readonly model: ai7.LanguageModel
  /** What it was told, once for each of its turns. */
  readonly prompts: readonly Prompt[]
  /** The schemas of the tools that it was given at last. */
  schemas(): Record<string, unknown>
}

/** A model that calls these tools in its first turn, and says "Done." in every other. */
export function scriptModel(
  { MockLanguageModelV3 }: Pick<(typeof versions)[number], 'MockLanguageModelV3'>,
  asked: readonly AskedTool[],
): ScriptedModel {
  const model = new MockLanguageModelV3({
    doStream: async ({ prompt }) => {
      const isFirst = !prompt.some(({ role }) => role === 'assistant' || role === 'tool')
      const parts = isFirst
        ? asked.map(({ id, name, input }): StreamPart => {
            return { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(input) }
          })
        : TEXT
      const unified = isFirst ? 'tool-calls' : 'stop'
      const finish: StreamPart = { type: 'finish', finishReason: { unified, raw: unified }, usage: USAGE }
      return { stream: streamOf([{ type: 'stream-start', warnings: [] }, ...parts, finish]) }
    },
  })
  return {
    model: model as unknown as ai7.LanguageModel,
    get prompts() {
      return model.doStreamCalls.map(({ prompt }) => prompt)
    },
    schemas: () =>
      Object.fromEntries(
        (model.doStreamCalls.at(-1)?.tools ?? []).map((tool) => [
          tool.name,
          tool.type === 'function' ? tool.inputSchema : undefined,
        ]),
      ),
  }
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

const TEXT: StreamPart[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Done.' },
  { type: 'text-end', id: 't' },
]

function streamOf<T>(parts: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** What a tool said to the model in the last prompt. */
export function toolOutputs(prompts: readonly Prompt[]): unknown[] {
  return (prompts.at(-1) ?? []).flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  )
}
