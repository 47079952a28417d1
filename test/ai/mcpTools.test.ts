import type { TextStreamPart, ToolSet } from 'ai'
import { type CallToolResult, type InputRequest, type TaskClient, TaskFailedError } from 'taskwire'
import { type McpToolSet, type McpToolsOptions, mcpTools, respondToToolApproval, toolApprovalOf } from 'taskwire/ai'
import { createTestServer, type ScriptStep, scriptTask, type TestServer } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { type AskedTool, scriptModel, toolOutputs, versions } from './models.js'
import { until } from './until.js'

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] })
const REPORT: AskedTool = { id: 'call-1', name: 'report', input: { quarter: 'Q3' } }

const working = (statusMessage: string, progress?: number): ScriptStep => ({
  status: 'working',
  statusMessage,
  ...(progress !== undefined && { progress: { progress, total: 2 } }),
})
const completed = (result: CallToolResult = text('42 pieces')): ScriptStep => ({ status: 'completed', result })

function serve(...steps: [ScriptStep, ...ScriptStep[]]): TestServer {
  return createTestServer({ tools: [scriptTask(steps, { name: 'report', pollIntervalMs: 1000 })] })
}

function open(server: TestServer): TaskClient {
  return createTaskClient({ url: server.url, environment: server.browser.openPage().environment, push: false })
}

interface Run {
  readonly parts: TextStreamPart<ToolSet>[]
  isOver: boolean
}

/** The outputs of tools that a generation has had so far. */
const results = ({ parts }: Run): unknown[] =>
  parts.flatMap((part) =>
    part.type === 'tool-result' ? [{ isFinal: part.preliminary !== true, output: part.output }] : [],
  )

describe.each(versions)('the tools of a server, in $version', (version) => {
  const { ai } = version

  async function generate(
    client: TaskClient,
    options: McpToolsOptions = {},
    signal?: AbortSignal,
    asked = [REPORT],
    rename = (tools: McpToolSet) => tools,
  ) {
    const tools = rename(await mcpTools(client, options))
    const scripted = scriptModel(version, asked)
    const run: Run = { parts: [], isOver: false }
    const { fullStream } = ai.streamText({
      model: scripted.model,
      tools,
      prompt: 'How was the third quarter?',
      stopWhen: ai.stepCountIs(3),
      onError: () => {},
      ...(signal && { abortSignal: signal }),
    })
    const reading = (async () => {
      for await (const part of fullStream) run.parts.push(part)
    })()
    reading.then(
      () => Object.assign(run, { isOver: true }),
      () => Object.assign(run, { isOver: true }),
    )
    return { run, scripted, tools }
  }

  /** The tools are listed by the same clock, so somebody has to let it go. */
  async function start(server: TestServer, ...args: Parameters<typeof generate>) {
    const starting = generate(...args)
    let isStarted = false
    void starting.finally(() => {
      isStarted = true
    })
    await until(server, () => isStarted)
    return starting
  }

  it('yield status and progress as preliminary results, in order, and the result at last', async () => {
    const server = serve(working('Collecting', 0), working('Adding', 1), working('Adding', 1), completed())
    const { run, scripted } = await start(server, open(server))
    await until(server, () => run.isOver)
    const status = { callId: expect.any(String), phase: 'working', network: 'ok' }
    const final = expect.objectContaining(text('42 pieces'))
    expect(results(run)).toEqual([
      {
        isFinal: false,
        output: { ...status, statusMessage: 'Collecting', progress: { progress: 0, total: 2 } },
      },
      { isFinal: false, output: { ...status, statusMessage: 'Adding', progress: { progress: 1, total: 2 } } },
      { isFinal: false, output: final },
      { isFinal: true, output: final },
    ])
    expect(toolOutputs(scripted.prompts)).toEqual([{ type: 'content', value: [{ type: 'text', text: '42 pieces' }] }])
    expect(server.count('tools/call')).toBe(1)
    expect(JSON.stringify(run.parts)).not.toContain(JSON.stringify('taskId'))
  })

  it('tell the model of a result with isError as of an error', async () => {
    const server = serve(working('Collecting'), completed({ ...text('No sales yet.'), isError: true }))
    const { run, scripted } = await start(server, open(server))
    await until(server, () => run.isOver)
    expect(results(run).at(-1)).toMatchObject({ isFinal: true, output: { isError: true } })
    expect(toolOutputs(scripted.prompts)).toEqual([{ type: 'error-text', value: 'No sales yet.' }])
  })

  it('throw the typed error of a task that fails, whose message the model reads', async () => {
    const server = serve(working('Collecting'), { status: 'failed', error: { code: -32050, message: 'Out of paper' } })
    const { run, scripted } = await start(server, open(server))
    await until(server, () => run.isOver)
    const [failure] = run.parts.flatMap((part) => (part.type === 'tool-error' ? [part.error] : []))
    expect(failure).toBeInstanceOf(TaskFailedError)
    expect(toolOutputs(scripted.prompts)).toMatchObject([{ value: expect.stringContaining('Out of paper') }])
  })

  it('are detached from by an abort, and taken up by the same tool call without a second tools/call', async () => {
    const server = serve(working('Collecting'), working('Adding'), working('Adding'), completed())
    const client = open(server)
    const abort = new AbortController()
    const { run } = await start(server, client, {}, abort.signal)
    await until(server, () => results(run).length === 1)
    abort.abort()
    await until(server, () => run.isOver)
    expect(server.count('tasks/cancel')).toBe(0)
    const again = await start(server, client)
    await until(server, () => again.run.isOver)
    expect(results(again.run).at(-1)).toMatchObject({ isFinal: true, output: text('42 pieces') })
    expect(server.count('tools/call')).toBe(1)
  })

  it('ask the server to cancel the work when the generation is aborted, where that is asked for', async () => {
    const server = serve(working('Collecting'), working('Adding'), working('Adding'), completed())
    const client = open(server)
    const abort = new AbortController()
    const { run } = await start(server, client, { onAbort: 'cancel' }, abort.signal)
    await until(server, () => results(run).length === 1)
    abort.abort()
    await until(server, () => server.count('tasks/cancel') === 1)
    await until(server, () => Object.values(client.store.getState().calls).every(({ phase }) => phase === 'cancelled'))
  })

  it('show what the server asks, which can be approved like a tool call', async () => {
    const confirm: InputRequest = {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Overwrite?', requestedSchema: { type: 'object', properties: {} } },
    }
    const server = serve(
      working('Collecting'),
      { status: 'input_required', inputRequests: { q1: confirm } },
      completed(),
    )
    const client = open(server)
    const { run } = await start(server, client)
    const asked = () => run.parts.flatMap((part) => (part.type === 'tool-result' ? [toolApprovalOf(part.output)] : []))
    await until(server, () => asked().some(Boolean))
    const approval = asked().find(Boolean)
    expect(approval).toEqual({ id: expect.any(String), message: 'Overwrite?' })
    const responding = respondToToolApproval(client, { id: approval?.id ?? '', approved: true })
    await until(server, () => run.isOver)
    await responding
    expect(server.count('tasks/update')).toBe(1)
    expect(results(run).at(-1)).toMatchObject({ isFinal: true, output: text('42 pieces') })
    await expect(respondToToolApproval(client, { id: approval?.id ?? '', approved: true })).rejects.toThrow(
      'The approval is no longer needed.',
    )
  })

  it('are not called before the user has approved, where that is asked for', async () => {
    const server = serve(working('Collecting'), completed())
    const needsApproval: McpToolsOptions['needsApproval'] = ({ name }, input) =>
      name === 'report' && (input as { quarter: string }).quarter === 'Q3'
    const { run } = await start(server, open(server), { needsApproval })
    await until(server, () => run.isOver)
    expect(run.parts.map(({ type }) => type)).toContain('tool-approval-request')
    expect(server.count('tools/call')).toBe(0)
  })

  it('are made once per tool call of the model, and by chat', async () => {
    const server = serve(working('Collecting'), completed())
    const client = open(server)
    const first = await start(server, client, { chatId: 'a' })
    const second = await start(server, client, { chatId: 'a' })
    await until(server, () => first.run.isOver && second.run.isOver)
    expect(server.count('tools/call')).toBe(1)
    const third = await start(server, client, { chatId: 'b' })
    await until(server, () => third.run.isOver)
    expect(server.count('tools/call')).toBe(2)
  })

  it.each([
    [
      'in a definition',
      { $ref: '#/$defs/In', $defs: { In: { type: 'object', properties: { a: { type: 'string' } } } } },
    ],
    ['in one of several', { oneOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: {} } }] }],
    ['in a part', { properties: { b: {} }, allOf: [{ properties: { a: { type: 'string' } } }] }],
  ])('rule out no argument that the schema of the server names %s', async (_, schema) => {
    const inputSchema = { type: 'object' as const, ...schema }
    const tools = await mcpTools(open(serve(completed())), { tools: [{ name: 'report', inputSchema }] })
    const standard: unknown = Reflect.get(tools['report']?.inputSchema ?? {}, 'jsonSchema')
    expect(standard).toEqual({ properties: {}, ...inputSchema })
  })

  it('are called by the name that the server knows, whatever key the app gives them', async () => {
    const steps: [ScriptStep, ScriptStep] = [working('Collecting'), completed()]
    const server = createTestServer({ tools: [scriptTask(steps, { name: 'reports.write', pollIntervalMs: 1000 })] })
    const rename = ({ 'reports.write': write, ...others }: McpToolSet) => ({
      ...others,
      ...(write && { reports_write: write }),
    })
    const asked = [{ ...REPORT, name: 'reports_write' }]
    const { run, scripted } = await start(server, open(server), {}, undefined, asked, rename)
    await until(server, () => run.isOver)
    expect(toolOutputs(scripted.prompts)).toEqual([{ type: 'content', value: [{ type: 'text', text: '42 pieces' }] }])
    expect(server.requests.find(({ method }) => method === 'tools/call')?.params).toMatchObject({
      name: 'reports.write',
    })
  })

  it('have the schema of the server, a prefix, and a filter', async () => {
    const inputSchema = {
      type: 'object' as const,
      properties: { quarter: { type: 'string' }, options: { type: 'object' } },
      required: ['quarter'],
    }
    const server = serve(working('Collecting'), completed())
    const listed = [
      { name: 'report', description: 'Writes a report', inputSchema, annotations: { title: 'Report' } },
      { name: 'constructor', inputSchema: { type: 'object' as const, additionalProperties: true } },
      { name: 'drop', inputSchema },
    ]
    const options = { tools: listed, prefix: 'x_', filter: ({ name }: { name: string }) => name !== 'drop' }
    const tools = await mcpTools(open(server), options)
    expect(Object.keys(tools)).toEqual(['x_report', 'x_constructor'])
    expect(tools['constructor']).toBeUndefined()
    expect(tools['x_report']).toMatchObject({
      type: 'dynamic',
      title: 'Report',
      description: 'Writes a report',
      metadata: { toolName: 'report', title: 'Report', annotations: { title: 'Report' } },
    })
    const { scripted, run } = await start(server, open(server), options as McpToolsOptions, undefined, [
      { ...REPORT, name: 'x_report' },
    ])
    await until(server, () => run.isOver)
    expect(scripted.schemas()).toEqual({
      x_report: { ...inputSchema, additionalProperties: false },
      x_constructor: { type: 'object', properties: {}, additionalProperties: true },
    })
    expect(server.requests.find(({ method }) => method === 'tools/call')?.params).toMatchObject({
      name: 'report',
      arguments: { quarter: 'Q3' },
    })
  })
})
