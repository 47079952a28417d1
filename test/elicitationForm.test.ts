import { type TaskClient, TaskUnreachableError } from 'taskwire'
import { createElicitationForm, type ElicitationForm } from 'taskwire/forms'
import { defineTool } from 'taskwire/server'
import { createTestServer, type TestServer } from 'taskwire/testing'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createTaskClient } from './support/anyClient.js'

/** Asks for a reason, and says which one it was given. */
const deploy = defineTool({
  name: 'deploy',
  inputSchema: z.object({}),
  taskSupport: 'required',
  async handler(_, { elicit }) {
    const answer = await elicit({
      mode: 'form',
      message: 'Deploy it?',
      requestedSchema: {
        type: 'object',
        properties: { reason: { type: 'string', minLength: 3 } },
        required: ['reason'],
      },
    })
    return { content: [{ type: 'text', text: `${answer.action} ${answer.content?.['reason']}` }] }
  },
})

let server: TestServer
let drafts: Map<string, string>

beforeEach(() => {
  server = createTestServer({ tools: [deploy] })
  drafts = new Map()
})

const open = (environment = server.browser.openPage().environment): TaskClient =>
  createTaskClient({ url: server.url, environment })

/** The form of the one question that is open. */
function formOf(client: TaskClient): ElicitationForm {
  const [call] = Object.values(client.store.getState().calls)
  const [[inputKey, request] = []] = Object.entries(call?.inputRequests ?? {})
  if (call === undefined || inputKey === undefined || request === undefined) throw new Error('Nothing is asked.')
  const storage = {
    getItem: (key: string) => drafts.get(key) ?? null,
    setItem: (key: string, value: string) => void drafts.set(key, value),
    removeItem: (key: string) => void drafts.delete(key),
  }
  return createElicitationForm({ client, callId: call.callId, inputKey, request }, { drafts: storage })
}

it('a form is filled in, survives polls, and is accepted by the server', async () => {
  const client = open()
  const call = client.startToolCall({ name: 'deploy' })
  await server.advance(2000)
  const form = formOf(client)
  const statuses: string[] = []
  form.subscribe(({ status }) => statuses.push(status))
  form.set('reason', 'Fixes it')
  const typed = form.getState()
  await server.advance(10_000)
  expect(form.getState()).toBe(typed)
  void form.submit()
  await server.advance(3000)
  expect(await call.result).toMatchObject({ content: [{ text: 'accept Fixes it' }] })
  expect(statuses).toEqual(['open', 'sending', 'accepted'])
  expect(drafts.size).toBe(0)
})

it('a form says that its answer is sent again while the server is away, and that it has arrived', async () => {
  const client = open()
  client.startToolCall({ name: 'deploy' })
  await server.advance(2000)
  const form = formOf(client)
  form.set('reason', 'Fixes it')
  server.faults.drop({ method: 'tasks/update', times: 2 })
  void form.submit()
  await server.advance(1)
  expect(form.getState()).toMatchObject({ status: 'sending', isRetrying: true })
  await server.advance(60_000)
  expect(form.getState().status).toBe('accepted')
})

it('what was typed is there after a reload, and the answer of another tab ends the form', async () => {
  const page = server.browser.openPage()
  const first = open(page.environment)
  first.startToolCall({ name: 'deploy' })
  await server.advance(2000)
  formOf(first).set('reason', 'Typed yesterday')

  const { environment } = await page.reload()
  const [again, other] = [open(environment), open()]
  for (const client of [again, other]) await client.resumeToolCalls()
  await server.advance(3000)
  const form = formOf(again)
  expect(form.getState().fields).toMatchObject([{ value: 'Typed yesterday' }])
  const inOther = formOf(other)
  inOther.set('reason', 'Given there')
  await inOther.submit()
  await server.advance(3000)
  expect(form.getState()).toMatchObject({ status: 'gone', isEditable: false })
  expect(inOther.getState().status).toBe('accepted')
})

it.each([
  ['forgotten', (client: TaskClient) => client.forget({ callId: client.toolCallId('deploy', 'k') }), 0],
  ['cancelled', (client: TaskClient) => client.getToolCall(client.toolCallId('deploy', 'k'))?.cancel(), 0],
  ['left by a client that is closed', (client: TaskClient) => client.close(), 1],
])(
  'a draft is removed with its question, and stays for the next page otherwise: the call is %s',
  async (_, end, kept) => {
    const client = open()
    client.startToolCall({ name: 'deploy' }, { key: 'k' })
    await server.advance(2000)
    const form = formOf(client)
    onTestFinished(form.subscribe(() => {}))
    form.set('reason', 'Typed')
    expect(drafts.size).toBe(1)
    void end(client)
    await server.advance(5000)
    expect(form.getState().status).toBe('gone')
    expect(drafts.size).toBe(kept)
  },
)

it('a draft stays while the server cannot be reached, for the form of the same question afterwards', async () => {
  const client = createTaskClient({
    url: server.url,
    environment: server.browser.openPage().environment,
    retry: { maxAttempts: 5 },
  })
  const call = client.startToolCall({ name: 'deploy' }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2000)
  const form = formOf(client)
  onTestFinished(form.subscribe(() => {}))
  form.set('reason', 'Typed')
  server.faults.drop()
  await server.advance(600_000)
  expect(call.getState().error).toBeInstanceOf(TaskUnreachableError)
  expect(form.getState()).toMatchObject({
    status: 'gone',
    statusText: 'This cannot be answered, since the server cannot be reached.',
  })
  server.faults.clear()
  client.startToolCall({ name: 'deploy' }, { key: 'k', repeat: 'settled' })
  await server.advance(3000)
  expect(server.count('tools/call')).toBe(1)
  const again = formOf(client)
  expect(again.getState()).toMatchObject({ status: 'open', fields: [{ value: 'Typed' }] })
  await again.submit()
  await server.advance(3000)
  expect(client.getToolCallState(call.callId)?.phase).toBe('completed')
  expect(drafts.size).toBe(0)
})
