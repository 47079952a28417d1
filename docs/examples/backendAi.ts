import {
  convertToModelMessages,
  type LanguageModel,
  stepCountIs,
  streamText,
  type UIMessage,
} from 'ai'
import { mcpTools } from 'taskwire/ai'
import { clientOfUser } from './backendClients.ts'

/**
 * The route of `useChat`: the model runs here, and so do its tools. `userId` is
 * the signed-in user of the request.
 */
export async function chat(
  request: Request,
  userId: string,
  model: LanguageModel,
): Promise<Response> {
  const { id, messages } = (await request.json()) as {
    id: string
    messages: UIMessage[]
  }
  const tools = await mcpTools(clientOfUser(userId), { chatId: id })
  const result = streamText({
    model,
    // With the tools, which say how the model gets an earlier output of theirs.
    messages: await convertToModelMessages(messages, { tools }),
    tools,
    stopWhen: stepCountIs(10),
  })
  return result.toUIMessageStreamResponse()
}
