import type { TextStreamPart, ToolSet } from 'ai'
import { mcpTools } from 'taskwire/ai'
import { describe, expect, it } from 'vitest'
import { createBridgedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'
import { type AskedTool, scriptModel, toolOutputs, versions } from './models.js'

const ASK: AskedTool = { id: 'call-1', name: 'ask', input: { questions: ['Without the returns?'] } }
const WORK: AskedTool = { id: 'call-1', name: 'work', input: { seconds: 10 } }

describe.each(versions)('a model in the backend, in $version', (version) => {
  const { ai } = version

  async function setUp(asked: AskedTool) {
    const server = createWorkServer({ browser: { turns: 60 } })
    const backend = createBridgedBackend(server, {}, { push: false })
    const openPage = async () => {
      const opened = backend.openPage()
      await Promise.all([opened.client.connect(), server.advance(1000)])
      return opened
    }
    const page = await openPage()
    const [tools] = await Promise.all([mcpTools(backend.clientOf('ada'), { chatId: 'sales' }), server.advance(1000)])
    const scripted = scriptModel(version, [asked])
    const { fullStream } = ai.streamText({
      model: scripted.model,
      tools,
      prompt: 'How was the third quarter?',
      stopWhen: ai.stepCountIs(3),
    })
    const parts: TextStreamPart<ToolSet>[] = []
    const reading = (async () => {
      for await (const part of fullStream) parts.push(part)
    })()
    return { server, openPage, page, reading, parts, scripted }
  }

  const callsOf = (client: Awaited<ReturnType<typeof setUp>>['page']['client']) =>
    Object.values(client.store.getState().calls)

  it('has its calls in the page of the user, with their progress', async () => {
    const { server, page, reading } = await setUp(WORK)
    await server.advance(3000)
    expect(callsOf(page.client)).toMatchObject([
      { name: 'work', phase: 'working', task: { statusMessage: expect.stringMatching(/^step \d$/) } },
    ])
    await Promise.all([reading, server.advance(15_000)])
    expect(callsOf(page.client)).toMatchObject([{ phase: 'completed', result: { structuredContent: { seconds: 10 } } }])
  })

  it('gets the answer that the user gives in the page, also one that was opened after the question', async () => {
    const { server, openPage, page, reading, scripted } = await setUp(ASK)
    await server.advance(3000)
    await page.page.close()
    const { client } = await openPage()
    const [call] = callsOf(client)
    const [[inputKey] = []] = Object.entries(call?.inputRequests ?? {})
    const answer = { action: 'accept' as const, content: { ok: true } }
    await Promise.all([client.getToolCall(call?.callId ?? '')?.respond(inputKey ?? '', answer), server.advance(5000)])
    await Promise.all([reading, server.advance(5000)])
    expect(JSON.stringify(toolOutputs(scripted.prompts))).toContain('accept')
    expect(server.count('tools/call')).toBe(1)
  })
})
