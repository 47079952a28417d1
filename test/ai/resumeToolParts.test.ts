import type { ChatState, ChatTransport, UIMessage } from 'ai'
import type { CallToolResult, TaskClient } from 'taskwire'
import { type McpToolsOptions, mcpTools, resumeToolParts } from 'taskwire/ai'
import { createTestServer, type ScriptStep, type SimulatedPage, scriptTask, type TestServer } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { type AskedTool, type ScriptedModel, scriptModel, toolOutputs, versions } from './models.js'
import { resolved, until } from './until.js'

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] })
const working: ScriptStep = { status: 'working', statusMessage: 'Collecting' }
const completed: ScriptStep = { status: 'completed', result: text('42 pieces') }
const REPORT: AskedTool = { id: 'call-1', name: 'report', input: { quarter: 'Q3' } }
const COUNT: AskedTool = { id: 'call-2', name: 'count', input: {} }

function serve(): TestServer {
  const script = (name: string, ...steps: [ScriptStep, ...ScriptStep[]]) =>
    scriptTask(steps, { name, pollIntervalMs: 1000 })
  return createTestServer({
    tools: [
      script('report', working, working, working, working, completed),
      script('count', working, working, completed),
      script('fail', working, working, { status: 'failed', error: { code: -32050, message: 'Out of paper' } }),
    ],
  })
}

describe.each(versions)('a chat that is reloaded in mid-tool, in $version', (version) => {
  const { ai } = version

  /** A chat as the packages for frameworks make it, with an agent in the page. */
  class PageChat extends ai.AbstractChat<UIMessage> {
    readonly scripted: ScriptedModel

    constructor(tools: Awaited<ReturnType<typeof mcpTools>>, messages: UIMessage[], asked: readonly AskedTool[]) {
      const scripted = scriptModel(version, asked)
      const state: ChatState<UIMessage> = {
        status: 'ready',
        error: undefined,
        messages,
        pushMessage: (message) => {
          state.messages = [...state.messages, message]
        },
        popMessage: () => {
          state.messages = state.messages.slice(0, -1)
        },
        replaceMessage: (index, message) => {
          state.messages = state.messages.with(index, message)
        },
        snapshot: (value) => structuredClone(value),
      }
      super({
        id: 'chat',
        state,
        transport: new ai.DirectChatTransport({
          agent: new ai.ToolLoopAgent({ model: scripted.model, tools }),
        }) as unknown as ChatTransport<UIMessage>,
        sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithToolCalls,
      })
      this.scripted = scripted
    }

    tools() {
      return this.messages.flatMap(({ parts }) => parts.filter((part) => ai.isToolUIPart(part)))
    }

    says() {
      return this.messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    }
  }

  interface Visit {
    readonly page: SimulatedPage
    readonly client: TaskClient
    readonly chat: PageChat
    readonly tools: Awaited<ReturnType<typeof mcpTools>>
  }

  async function visit(
    server: TestServer,
    messages: UIMessage[] = [],
    asked: readonly AskedTool[] = [REPORT],
    options: McpToolsOptions = {},
  ): Promise<Visit> {
    const page = server.browser.openPage()
    const client = createTaskClient({ url: server.url, environment: page.environment, push: false })
    const tools = await resolved(server, mcpTools(client, options))
    return { page, client, tools, chat: new PageChat(tools, messages, asked) }
  }

  /** Asks, and closes the page as soon as something is so: what the app has stored of the messages is all that is left. */
  async function leave(server: TestServer, isSo: (chat: PageChat) => boolean, asked = [REPORT], options = {}) {
    const { page, chat } = await visit(server, [], asked, options)
    void chat.sendMessage({ text: 'How was the third quarter?' })
    await until(server, () => isSo(chat))
    const stored = JSON.parse(JSON.stringify(chat.messages)) as UIMessage[]
    await page.close()
    return stored
  }

  const isRunning = (chat: PageChat) =>
    chat.tools().length > 0 && chat.tools().every((part) => part.state === 'output-available' && part.preliminary)

  it('takes the task up, shows its status, and goes on with the result, without a second tools/call', async () => {
    const server = serve()
    const stored = await leave(server, isRunning)
    const { chat, tools } = await visit(server, stored)
    const seen: unknown[] = []
    resumeToolParts(chat, tools)
    await until(server, () => {
      for (const part of chat.tools()) if (part.state === 'output-available' && part.preliminary) seen.push(part.output)
      return chat.says().includes('Done.')
    })
    expect(seen).toContainEqual(expect.objectContaining({ phase: 'working', statusMessage: 'Collecting' }))
    expect(chat.tools()).toMatchObject([{ state: 'output-available', output: text('42 pieces') }])
    expect(chat.tools()[0]).not.toHaveProperty('preliminary', true)
    expect(toolOutputs(chat.scripted.prompts)).toEqual([
      { type: 'content', value: [{ type: 'text', text: '42 pieces' }] },
    ])
    expect(server.count('tools/call')).toBe(1)
  })

  it('waits for the last of several tools, and then goes on once', async () => {
    const server = serve()
    const stored = await leave(server, (chat) => chat.tools().length === 2 && isRunning(chat), [REPORT, COUNT])
    const { chat, tools } = await visit(server, stored, [REPORT, COUNT])
    const addToolOutput = vi.spyOn(chat, 'addToolOutput')
    resumeToolParts(chat, tools)
    await until(server, () => chat.says().includes('Done.'))
    expect(chat.scripted.prompts).toHaveLength(1)
    expect(addToolOutput).toHaveBeenCalledTimes(1)
    expect(chat.tools()).toMatchObject([{ output: text('42 pieces') }, { output: text('42 pieces') }])
    expect(server.count('tools/call')).toBe(2)
  })

  it('tells of a tool that has failed meanwhile', async () => {
    const server = serve()
    const asked = [{ ...REPORT, name: 'fail' }]
    const stored = await leave(server, isRunning, asked)
    const { chat, tools } = await visit(server, stored, asked)
    resumeToolParts(chat, tools)
    await until(server, () => chat.says().includes('Done.'))
    expect(chat.tools()).toMatchObject([{ state: 'output-error', errorText: expect.stringContaining('Out of paper') }])
  })

  it('makes a call that was not made yet, but none that the user has not approved', async () => {
    const part = { type: 'dynamic-tool', toolName: 'report', toolCallId: 'call-1', state: 'input-available', input: {} }
    const stored = [{ id: 'm', role: 'assistant', parts: [{ type: 'step-start' }, part] }] as unknown as UIMessage[]
    for (const needsApproval of [true, false]) {
      const server = serve()
      const { chat, tools } = await visit(server, structuredClone(stored), [REPORT], {
        needsApproval: () => needsApproval,
      })
      resumeToolParts(chat, tools)
      await server.advance(20_000)
      expect(server.count('tools/call')).toBe(needsApproval ? 0 : 1)
    }
  })

  it('makes a call that the user has approved', async () => {
    const part = {
      type: 'dynamic-tool',
      toolName: 'report',
      toolCallId: 'call-1',
      state: 'approval-responded',
      approval: { id: 'a', approved: true },
      input: {},
    }
    const stored = [{ id: 'm', role: 'assistant', parts: [{ type: 'step-start' }, part] }] as unknown as UIMessage[]
    const server = serve()
    const { chat, tools } = await visit(server, stored, [REPORT], { needsApproval: () => true })
    resumeToolParts(chat, tools)
    await until(server, () => chat.says().includes('Done.'))
    expect(server.count('tools/call')).toBe(1)
  })

  it('leaves tools of others alone, and a chat that is at work', async () => {
    const server = serve()
    const stored = await leave(server, isRunning)
    const { chat, tools } = await visit(server, stored)
    resumeToolParts(chat, { report: { execute: () => 'other' } })
    resumeToolParts({ messages: chat.messages, status: 'streaming', addToolOutput: chat.addToolOutput }, tools)
    await server.advance(20_000)
    expect(chat.messages).toEqual(stored)
  })

  it('stops when it is told to, and can be started again, as StrictMode does', async () => {
    const server = serve()
    const stored = await leave(server, isRunning)
    const { chat, tools } = await visit(server, stored)
    resumeToolParts(chat, tools)()
    resumeToolParts(chat, tools)
    await until(server, () => chat.says().includes('Done.'))
    await server.advance(20_000)
    expect(chat.scripted.prompts).toHaveLength(1)
    expect(server.count('tools/call')).toBe(1)
  })

  it('leaves the output of an earlier part that has the same id', async () => {
    const earlier = { type: 'dynamic-tool', toolName: 'report', toolCallId: 'call-1', input: {} }
    const parts = [{ ...earlier, state: 'output-available', output: text('21 pieces') }]
    const server = serve()
    const stored = await leave(server, isRunning)
    const before = [{ id: 'earlier', role: 'assistant', parts }] as UIMessage[]
    const { tools } = await visit(server)
    // Not that of the AI SDK, which itself gives the last output to the first part with the id.
    const chat = { messages: [...before, ...stored], addToolOutput: vi.fn() }
    resumeToolParts(chat, tools)
    await until(server, () => chat.addToolOutput.mock.calls.length > 0)
    expect(chat.messages[0]).toBe(before[0])
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ state: 'output-available', output: text('42 pieces') })
  })

  it("cancels no task when it stops, also with onAbort: 'cancel'", async () => {
    const server = serve()
    const stored = await leave(server, isRunning)
    const { chat, tools, client } = await visit(server, stored, [REPORT], { onAbort: 'cancel' })
    const stop = resumeToolParts(chat, tools)
    await server.advance(1500)
    stop()
    const shown = structuredClone(chat.messages)
    await server.advance(20_000)
    expect(server.count('tasks/cancel')).toBe(0)
    expect(Object.values(client.store.getState().calls)).toMatchObject([{ phase: 'completed' }])
    expect(chat.messages).toEqual(shown)
  })
})
