import { type LanguageModel, stepCountIs, streamText } from 'ai'
import { createTaskClient } from 'taskwire'
import { mcpTools } from 'taskwire/ai'

const client = createTaskClient({ url: 'https://example.com/mcp' })

/** Answers with the tools of the server, however long they take. */
export async function answer(
  model: LanguageModel,
  prompt: string,
): Promise<string> {
  const tools = await mcpTools(client)
  const { text } = streamText({
    model,
    tools,
    prompt,
    stopWhen: stepCountIs(5),
  })
  return text
}
