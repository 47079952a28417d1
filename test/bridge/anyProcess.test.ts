import {
  createTaskClient,
  type Environment,
  TaskCancelledError,
  type TaskClient,
  TaskExpiredError,
  type TaskStorage,
  ToolCallInterruptedError,
  ToolCallKeyConflictError,
} from 'taskwire'
import { createTaskClient as createPageClient } from 'taskwire/bridge'
import { createTaskBridge, type TaskBridge, type TaskBridgeOptions } from 'taskwire/bridge/server'
import { createElicitationForm } from 'taskwire/forms'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { createWorkServer } from '../support/workServer.js'

const URL = 'http://localhost/api/calls'

type Name = 'A' | 'B' | 'C' | 'D'

/** A storage that processes share. */
function sharedStorage(): TaskStorage {
  const storage = memoryStorage()
  return {
    ...storage,
    replaceItem: (key, before, after) => {
      const known = storage.getItem(key)
      if (known !== after && known !== before) return false
      if (after === undefined) storage.removeItem(key)
      else storage.setItem(key, after)
      return true
    },
  }
}

/** Processes of a backend that share records, locks and messages, and a page whose requests reach the one that the test says. */
function setUp(allow: TaskBridgeOptions['allow'] = () => true) {
  const server = createWorkServer({ browser: { turns: 60 } })
  const storage = sharedStorage()

  /** The processes that wait for their storage. */
  const slow = new Set<Name>()
  /** The processes whose storage takes no task. */
  const taskless = new Set<Name>()
  /** The processes whose storage has not heard of any record yet. */
  const blind = new Set<Name>()
  /** The processes that take requests and answer none. */
  const frozen = new Set<Name>()
  /** The news after one that tells of an interrupted call wait until this resolves. */
  const held: { until?: Promise<void> } = {}
  /** The processes whose answers are lost. */
  const unheard = new Set<Name>()
  /** The processes whose answers are under way until this resolves. */
  const late = new Map<Name, Promise<void>>()

  /** The processes that hear nothing of the others. */
  const deaf = new Set<Name>()

  function startProcess(name: Name) {
    const getItem = (key: string) => (slow.has(name) ? new Promise<never>(() => {}) : storage.getItem(key))
    const replaceItem: TaskStorage['replaceItem'] = (key, before, after) =>
      taskless.has(name) && after?.includes('taskId')
        ? new Promise<never>(() => {})
        : (storage.replaceItem?.(key, before, after) ?? false)
    const machine = server.browser.openPage()
    const channel: Environment['channel'] = (id) => {
      const opened = (machine.environment.channel as NonNullable<Environment['channel']>)(id)
      return { ...opened, onMessage: (take) => opened.onMessage((said) => deaf.has(name) || take(said)) }
    }
    const environment = { ...machine.environment, channel }
    const client: TaskClient = createTaskClient({
      url: server.url,
      storage: { ...storage, getItem, replaceItem, keys: () => (blind.has(name) ? [] : storage.keys()) },
      scope: 'ada',
      environment,
    })
    const bridge: TaskBridge = createTaskBridge({ clientOf: () => client, allow, environment })
    return { machine, bridge, client, life: new AbortController() }
  }

  function hold(response: Response): Response {
    let isHeld = false
    const gate = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        if (isHeld) await held.until
        isHeld ||= new TextDecoder().decode(chunk).includes('ToolCallInterruptedError')
        controller.enqueue(chunk)
      },
    })
    return new Response(response.body?.pipeThrough(gate) ?? null, response)
  }

  const processes = { A: startProcess('A'), B: startProcess('B'), C: startProcess('C'), D: startProcess('D') }
  const route = { stream: 'A' as Name, actions: 'B' as Name }
  let streams = new AbortController()
  const page = server.browser.openPage()
  const client = createPageClient({
    url: URL,
    environment: page.environment,
    crossTab: false,
    fetch: async (_, init = {}) => {
      const isAction = init.method === 'POST'
      const name = isAction ? route.actions : route.stream
      const { bridge, life } = processes[name]
      if (life.signal.aborted) throw new TypeError('fetch failed')
      const signals = [life.signal, ...(isAction ? [] : [streams.signal]), ...(init.signal ? [init.signal] : [])]
      const lost = new Promise<never>((_, reject) => {
        life.signal.addEventListener('abort', () => reject(new TypeError('fetch failed')))
      })
      if (frozen.has(name)) return lost
      const underWay = late.get(name)
      const answer = bridge.fetch(new Request(URL, { ...init, signal: AbortSignal.any(signals) }))
      const arrived = answer.then(async (response) => {
        if (isAction && unheard.has(name)) throw new TypeError('fetch failed')
        return underWay?.then(() => response) ?? response
      })
      return Promise.race([lost, isAction ? arrived : arrived.then(hold)])
    },
  })
  return {
    ...{ server, storage, client, processes, route, slow, taskless, blind, deaf, frozen, unheard, late, held },
    /** Cuts the stream, and lets the next one reach this process. */
    moveStream: (to: Name) => {
      route.stream = to
      streams.abort()
      streams = new AbortController()
    },
    kill: async (name: Name) => {
      processes[name].life.abort()
      await processes[name].machine.crash()
    },
    begin: (name: Name) => {
      processes[name] = startProcess(name)
    },
  }
}

const WORK = { name: 'work', arguments: { seconds: 5 } }

it('a call that another process has made than the one whose news the page reads is shown, and made once', async () => {
  const { server, client } = setUp()
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(2500)
  expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
  await server.advance(5000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(1)
})

// process A  news: two questions                                    ····· news: one question
// process B                        takes the first answer ─ one question
it('what was typed for one question stays when another process takes the answer to another one', async () => {
  const { server, client } = setUp()
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?', 'Really?'] } }, { key: 'k' })
  await server.advance(3000)
  const [first, second] = Object.entries(call.getState().inputRequests)
  if (first === undefined || second === undefined) throw new Error('it asks twice')
  const drafts = new Map<string, string>()
  const form = createElicitationForm(
    { client, callId: call.callId, inputKey: second[0], request: second[1] },
    {
      drafts: {
        getItem: (key) => drafts.get(key) ?? null,
        setItem: (key, value) => void drafts.set(key, value),
        removeItem: (key) => void drafts.delete(key),
      },
    },
  )
  form.set('ok', true)
  const answered = call.respond(first[0], { action: 'accept', content: { ok: true } })
  const seen = []
  for (let step = 0; step < 12; step++) {
    await server.advance(250)
    seen.push([form.getState().status, form.getState().fields[0]?.value, drafts.size])
  }
  await answered
  expect(new Set(seen.map(String))).toEqual(new Set([String(['open', true, 1])]))
  expect(Object.values(call.getState().inputRequests)).toEqual([second[1]])
  await form.submit()
  await server.advance(5000)
  expect([call.getState().phase, drafts.size, server.count('tools/call')]).toEqual(['completed', 0, 1])
})

/** A call of a page whose process A is killed before the response to the `tools/call`. Process D has found the intent. */
async function killWhileCalling() {
  const processes = setUp()
  const { server, client, route, kill } = processes
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  server.faults.delay(3000, { method: 'tools/call', times: 2 })
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2000)
  await kill('A')
  const { D } = processes.processes
  void D.client.resumeToolCalls()
  await server.advance(200)
  const [known] = Object.values(D.client.store.getState().calls)
  expect(known?.error).toBeInstanceOf(ToolCallInterruptedError)
  return { ...processes, call }
}

// process A  start ─ tools/call ─ killed
// process D                             finds the intent: interrupted ········ cancel() ── hears of the task ─ tasks/cancel
// process C                                                            tools/call, same key ─── task
it('a call that is made again is cancelled by a process that knows it as interrupted', async () => {
  const { server, route, call, moveStream } = await killWhileCalling()
  route.actions = 'C'
  moveStream('C')
  await server.advance(2500)
  route.actions = 'D'
  const cancelled = call.cancel()
  await server.advance(10_000)
  await cancelled
  expect(call.getState()).toMatchObject({ phase: 'cancelled' })
  expect([server.count('tools/call'), server.count('tasks/cancel')]).toEqual([2, 1])
})

it('a call that is being cancelled does not end because a process takes it for interrupted that has not heard more', async () => {
  const { server, route, call, deaf, kill, moveStream } = await killWhileCalling()
  const outcome = expect(call.result).rejects.toBeInstanceOf(TaskCancelledError)
  deaf.add('D')
  moveStream('D')
  route.actions = 'C'
  await server.advance(8000)
  expect(call.getState().phase).toBe('working')
  route.actions = 'D'
  const cancelled = call.cancel()
  await server.advance(4000)
  expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: true })
  route.actions = 'C'
  await kill('D')
  moveStream('C')
  await server.advance(10_000)
  await Promise.all([cancelled, outcome])
  expect([server.count('tools/call'), server.count('tasks/cancel')]).toEqual([2, 1])
})

it.each([
  ['the process whose news the page reads', 'A'],
  ['another process', 'B'],
] as const)(
  'a call that is being made with other arguments elsewhere is not taken for that one by %s',
  async (_, asked) => {
    const { server, client, processes, route } = setUp()
    route.actions = asked
    void client.connect()
    await server.advance(500)
    server.faults.delay(5000, { method: 'tools/call', times: 1 })
    const made = processes.C.client.startToolCall(WORK, { key: 'k' })
    await server.advance(500)
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 9 } }, { key: 'k' })
    const outcome = expect(call.result).rejects.toBeInstanceOf(ToolCallKeyConflictError)
    await server.advance(20_000)
    await outcome
    expect(await made.result).toMatchObject({ structuredContent: { seconds: 5 } })
    expect(Object.values(client.store.getState().calls)).toMatchObject([{ phase: 'completed' }])
    expect(server.count('tools/call')).toBe(1)
  },
)

// process C  tools/call, other arguments ─ result ▪
// process A                                         start ─ reads the record ─ fetches the result ─ news ····· answer: refused
it('a call that has ended with other arguments elsewhere is not taken for that one, although the news come first', async () => {
  const { server, client, processes, route, blind, deaf, late } = setUp()
  blind.add('A')
  deaf.add('A')
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  const made = processes.C.client.startToolCall(WORK, { key: 'k' })
  await server.advance(10_000)
  await made.result
  let answer = () => {}
  late.set('A', new Promise<void>((resolve) => (answer = resolve)))
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 9 } }, { key: 'k' })
  const outcome = expect(call.result).rejects.toBeInstanceOf(ToolCallKeyConflictError)
  await server.advance(5000)
  answer()
  await server.advance(5000)
  await outcome
  expect(Object.values(client.store.getState().calls)).toMatchObject([{ phase: 'completed' }])
  expect(server.count('tools/call')).toBe(1)
})

it('a result without a task comes from the process that has it', async () => {
  const { server, client } = setUp()
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall({ name: 'echo', arguments: { text: 'x' } }, { key: 'k' })
  await server.advance(1500)
  expect(await call.result).toMatchObject({ content: [{ text: 'x' }] })
  expect(server.count('tools/call')).toBe(1)
})

it('a question is answered and a call cancelled by a process that has not made them', async () => {
  const { server, client, route } = setUp()
  void client.connect()
  await server.advance(500)
  const ask = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } }, { key: 'ask' })
  const work = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'work' })
  await server.advance(2500)
  route.actions = 'A'
  const [inputKey = ''] = Object.keys(ask.getState().inputRequests)
  await Promise.all([
    ask.respond(inputKey, { action: 'accept', content: { ok: true } }),
    work.cancel(),
    server.advance(5000),
  ])
  expect([ask.getState().phase, work.getState().phase]).toEqual(['completed', 'cancelled'])
  expect([server.count('tasks/update'), server.count('tasks/cancel')]).toEqual([1, 1])
})

// process A                    news: a question
// process B  task ─ answer ····················· comes
it('a start whose answer comes late is shown with what its news have said meanwhile', async () => {
  const { server, client, late } = setUp()
  void client.connect()
  await server.advance(500)
  let deliver = () => {}
  late.set(
    'B',
    new Promise((resolve) => {
      deliver = resolve
    }),
  )
  // Sent once more, the call is answered with a task that asks something, and not with what it asks.
  server.faults.drop({ method: 'tools/call', lose: 'response', times: 1 })
  server.faults.status(503, { method: 'tasks/get', times: 1, retryAfter: 2 })
  const ask = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } }, { key: 'ask' })
  await server.advance(10_000)
  deliver()
  await server.advance(10_000)
  expect(Object.values(ask.getState().inputRequests)).toMatchObject([{ params: { message: 'Sure?' } }])
})

// process A  news: a question
// process B  task ─ answer ─ lost ·············· the same start: it asks a question by now
it('a start that is sent again is answered with what its call has come to since', async () => {
  const { server, client, unheard } = setUp()
  void client.connect()
  await server.advance(500)
  unheard.add('B')
  // Sent once more, the call is answered with a task that asks something, and not with what it asks.
  server.faults.drop({ method: 'tools/call', lose: 'response', times: 1 })
  server.faults.status(503, { method: 'tasks/get', times: 1, retryAfter: 2 })
  const ask = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } }, { key: 'ask' })
  await server.advance(5000)
  unheard.delete('B')
  await server.advance(10_000)
  expect(Object.values(ask.getState().inputRequests)).toMatchObject([{ params: { message: 'Sure?' } }])
})

it('a question is answered by a process that knows the call by its record alone', async () => {
  const { server, client, route } = setUp()
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  const ask = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } }, { key: 'ask' })
  await server.advance(2500)
  route.actions = 'D'
  const [inputKey = ''] = Object.keys(ask.getState().inputRequests)
  const answered = ask.respond(inputKey, { action: 'accept', content: { ok: true } })
  await Promise.all([expect(answered).resolves.toBeUndefined(), server.advance(5000)])
  expect(ask.getState().phase).toBe('completed')
  expect(server.count('tasks/update')).toBe(1)
})

// page               news of A            answer of B: a question ─ response
// process A           hears nothing of B                            └ finds the record: asks the server
// process B                    task ─┘
it('a question is answered by the process whose news the page reads, and which does not know it yet', async () => {
  const { server, client, route, deaf } = setUp()
  deaf.add('A')
  void client.connect()
  await server.advance(500)
  const ask = client.startToolCall({ name: 'ask', arguments: { questions: ['Sure?'] } }, { key: 'ask' })
  await server.advance(2500)
  route.actions = 'A'
  const [inputKey = ''] = Object.keys(ask.getState().inputRequests)
  const answered = ask.respond(inputKey, { action: 'accept', content: { ok: true } })
  await Promise.all([expect(answered).resolves.toBeUndefined(), server.advance(10_000)])
  expect(ask.getState().phase).toBe('completed')
  expect(server.count('tasks/update')).toBe(1)
})

it('a start whose process was killed before it answered is sent to another process, and follows the same task', async () => {
  const { server, client, route, kill } = setUp()
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(20)
  await kill('B')
  route.actions = 'A'
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(1)
})

// process B  start ─ tools/call ─ task, not written ─ killed
// process C                                                   cancelled ─ start, same key ─ the same task ─ tasks/cancel
it('a call is cancelled though its process was killed before the task was written down', async () => {
  const { server, client, route, taskless, deaf, kill } = setUp()
  deaf.add('A').add('C')
  taskless.add('B')
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 600 } }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(500)
  await kill('B')
  route.actions = 'C'
  call.cancel().catch(() => {})
  await server.advance(40_000)
  expect(call.getState().phase).toBe('cancelled')
  expect([server.count('tools/call'), server.count('tasks/cancel')]).toEqual([2, 1])
})

it('a start whose process was killed before it was recorded is made by another one', async () => {
  const { server, client, route, slow, moveStream, kill } = setUp()
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  slow.add('A')
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(3000)
  expect(server.count('tools/call')).toBe(0)
  await kill('A')
  moveStream('B')
  route.actions = 'B'
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a start that was not answered is not over because another process finds the call without its outcome', async () => {
  const { server, client, processes, route, kill } = setUp()
  void client.connect()
  await server.advance(500)
  server.faults.delay(1000, { method: 'tools/call' })
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(500)
  expect(server.count('tools/call')).toBe(1)
  await kill('B')
  const callId = processes.A.client.toolCallId('work', 'k')
  const [[found]] = await Promise.all([processes.A.client.resumeToolCalls({ callId }), server.advance(500)])
  expect(found?.getState().error).toBeInstanceOf(ToolCallInterruptedError)
  expect(call.getState().phase).toBe('calling')
  route.actions = 'A'
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('a start that was not answered is not over because a process that was asked about it lacks its outcome', async () => {
  const { server, client, route, frozen, moveStream, kill } = setUp()
  route.actions = 'A'
  route.stream = 'C'
  void client.connect()
  await server.advance(500)
  moveStream('A')
  await server.advance(500)
  server.faults.status(503, { method: 'tools/call', times: 1 })
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(50)
  server.faults.delay(4000, { method: 'tools/call', times: 1 })
  await server.advance(850)
  // A has told that the first attempt has failed, and has sent it again.
  expect(server.count('tools/call')).toBe(2)
  expect(call.getState()).toMatchObject({ phase: 'calling', failureCount: 1 })
  // The start is sent again, to a process that is frozen. The page asks another one what has become of the call.
  frozen.add('B')
  route.actions = 'B'
  moveStream('C')
  await kill('A')
  await server.advance(500)
  route.actions = 'C'
  // What comes is read before the next request is due.
  for (let at = 0; at < 5000; at += 500) await server.advance(500)
  expect(call.getState().phase).toBe('calling')
  await kill('B')
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('a call that its news show as running is not over because an answer that comes late lacks its outcome', async () => {
  const { server, client, processes, route, late, moveStream, kill } = setUp()
  Object.assign(route, { actions: 'A', stream: 'C' })
  void client.connect()
  await server.advance(500)
  moveStream('A')
  await server.advance(500)
  server.faults.delay(8000, { method: 'tools/call' })
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(2000)
  await kill('A')
  moveStream('C')
  let deliver = () => {}
  late.set(
    'D',
    new Promise((resolve) => {
      deliver = resolve
    }),
  )
  route.actions = 'D'
  await server.advance(2000)
  const callId = processes.D.client.toolCallId('work', 'k')
  expect(processes.D.client.getToolCallState(callId)?.phase).toBe('failed')
  // C finds it, too, and gets the start once more.
  route.actions = 'C'
  void processes.C.client.resumeToolCalls({ callId })
  await server.advance(500)
  expect(server.count('tools/call')).toBe(2)
  deliver()
  await server.advance(3000)
  expect(call.getState().phase).toBe('calling')
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('a stream that reaches another process goes on with all calls, also one that still has no task there', async () => {
  const { server, client, route, moveStream } = setUp()
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  server.faults.delay(6000, { method: 'tools/call' })
  const slow = client.startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key: 'slow' })
  await server.advance(2000)
  moveStream('B')
  await server.advance(2000)
  expect(slow.getState().phase).toBe('calling')
  await server.advance(20_000)
  expect(await slow.result).toMatchObject({ structuredContent: { seconds: 2 } })
  expect(server.count('tools/call')).toBe(1)
})

it('the outcome of a call that ended in an earlier life comes from the process that was asked for it', async () => {
  const { server, client, processes, kill, begin } = setUp()
  const before = processes.A.client.startToolCall(WORK, { key: 'k' })
  await server.advance(8000)
  expect(before.getState().phase).toBe('completed')
  for (const name of ['A', 'B', 'C'] as const) {
    await kill(name)
    begin(name)
  }
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(10_000)
  expect(call.getState().phase).toBe('completed')
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a call stays cancelled though the process that has cancelled it was killed before it told anybody', async () => {
  const { server, client, route, frozen, moveStream, kill, begin } = setUp()
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  server.faults.delay(4000, { method: 'tools/call', times: 1 })
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  await server.advance(2000)
  // No news come from here on.
  frozen.add('C')
  moveStream('C')
  await server.advance(500)
  await Promise.all([call.cancel(), server.advance(500)])
  expect(call.getState().phase).toBe('calling')
  await kill('A')
  begin('A')
  route.stream = 'A'
  await kill('C')
  await server.advance(60_000)
  expect(call.getState().phase).toBe('cancelled')
  // Its record says so: it is not sent again only to be cancelled once more.
  expect(server.count('tools/call')).toBe(1)
})

describe('a call whose process has noted the end, and was killed before it told anybody', () => {
  /** A lists the call as ended, to which the page listens. It asks B for the outcome. */
  async function listAsEnded(prepare: (all: ReturnType<typeof setUp>) => void) {
    const all = setUp()
    const { server, storage, client, route, moveStream, kill, begin } = all
    route.actions = 'A'
    void client.connect()
    await server.advance(500)
    const call = client.startToolCall(WORK, { key: 'k' })
    await server.advance(1000)
    prepare(all)
    await server.advance(1000)
    await kill('A')
    for (const key of await storage.keys()) {
      const record = JSON.parse(String(await storage.getItem(key)))
      await storage.setItem(key, JSON.stringify({ ...record, task: { ...record.task, status: 'completed' } }))
    }
    begin('A')
    route.actions = 'B'
    moveStream('A')
    await server.advance(3000)
    expect(call.getState().phase).toBe('ended')
    return { ...all, call }
  }

  it('has its result where the process that was asked has taken it for running', async () => {
    const { server, call } = await listAsEnded(({ server, processes }) => {
      void processes.B.client.resumeToolCalls()
      server.faults.drop({ method: 'tasks/get' })
    })
    server.faults.clear()
    await server.advance(60_000)
    expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
    expect(call.getState().phase).toBe('completed')
  })

  it('has it also if the page hears in between from a process that does not know the call', async () => {
    const { server, call, route, blind, moveStream, kill } = await listAsEnded(({ frozen }) => frozen.add('B'))
    blind.add('C')
    moveStream('C')
    await server.advance(2000)
    await kill('B')
    route.actions = 'D'
    await server.advance(60_000)
    expect(call.getState().phase).toBe('completed')
    expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  })
})

it('a page gets the result of the call that another process has made again meanwhile', async () => {
  const { server, client, processes, route } = setUp()
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall(WORK, { key: 'k' })
  await server.advance(2000)
  const again = { ...WORK, arguments: { seconds: 7 } }
  processes.B.client.startToolCall(again, { key: 'k', repeat: 'always' })
  await server.advance(12_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 7 } })
  expect(server.count('tools/call')).toBe(2)
})

it('a call that no process knows ends with an error', async () => {
  const { server, client, processes, route, moveStream } = setUp()
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 60 } }, { key: 'k' })
  await server.advance(2000)
  moveStream('B')
  route.actions = 'B'
  await processes.A.client.forget({ callId: processes.A.client.toolCallId('work', 'k') })
  await server.advance(30_000)
  await expect(call.result).rejects.toBeInstanceOf(TaskExpiredError)
})

it('a call goes on although its next process cannot read its records for a minute', async () => {
  const { server, client, processes, route, slow, moveStream, kill } = setUp()
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 90 } }, { key: 'k' })
  await server.advance(2000)
  slow.add('B')
  await kill('A')
  route.actions = 'B'
  moveStream('B')
  await server.advance(60_000)
  expect(call.getState().phase).toBe('working')
  slow.delete('B')
  await server.advance(60_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 90 } })
  expect(processes.B.client.getToolCallState(processes.B.client.toolCallId('work', 'k'))?.phase).toBe('completed')
})

describe('a call whose process was killed before its task was known', () => {
  async function interrupt(
    { server, client, processes, route, moveStream, kill }: ReturnType<typeof setUp>,
    name: string,
  ) {
    route.actions = 'A'
    void client.connect()
    await server.advance(500)
    server.faults.delay(4000, { method: 'tools/call', times: 1 })
    const call = client.startToolCall({ name, arguments: { seconds: 20, text: 'x' } }, { key: 'k' })
    await server.advance(2000)
    await kill('A')
    route.actions = 'C'
    moveStream('B')
    return { call, callId: processes.B.client.toolCallId(name, 'k') }
  }

  it('is asked for again by its page, and all processes show what becomes of it', async () => {
    const all = setUp()
    const { server, processes } = all
    const { call, callId } = await interrupt(all, 'work')
    await server.advance(8000)
    expect(call.getState().phase).toBe('working')
    expect(processes.B.client.getToolCallState(callId)?.phase).toBe('working')
    await server.advance(30_000)
    expect(await call.result).toMatchObject({ structuredContent: { seconds: 20 } })
    expect(processes.B.client.getToolCallState(callId)?.phase).toBe('completed')
  })

  it('has its result in all processes, also if that came without a task', async () => {
    const all = setUp()
    const { server, processes } = all
    const { call, callId } = await interrupt(all, 'echo')
    await server.advance(10_000)
    expect(await call.result).toMatchObject({ content: [{ text: 'x' }] })
    expect(processes.B.client.getToolCallState(callId)?.phase).toBe('completed')
  })
})

it('a call that another page has asked for again goes on although its answer comes before the news', async () => {
  const { server, client, processes, route, held, kill, begin, moveStream } = setUp()
  route.actions = 'A'
  void client.connect()
  await server.advance(500)
  server.faults.delay(4000, { method: 'tools/call', times: 1 })
  const call = client.startToolCall(WORK, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(2000)
  await kill('A')
  begin('A')
  await kill('D')
  route.actions = 'D'
  let release = () => {}
  held.until = new Promise<void>((resolve) => {
    release = resolve
  })
  moveStream('A')
  await server.advance(2000)
  processes.A.client.startToolCall(WORK, { key: 'k' })
  await server.advance(3000)
  route.actions = 'A'
  await server.advance(5000)
  expect(call.getState().phase).toBe('calling')
  release()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
})

it('what a page forgets and another process keeps is shown again', async () => {
  const { server, client } = setUp(({ type, tool }) => type !== 'forget' || tool === 'echo')
  void client.connect()
  await server.advance(500)
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k' })
  call.result.catch(() => {})
  const echo = client.startToolCall({ name: 'echo', arguments: { text: 'x' } }, { key: 'k' })
  await Promise.all([echo.result, server.advance(2500)])
  await Promise.all([client.forget(), server.advance(5000)])
  await server.advance(30_000)
  expect(client.store.getState().calls).toMatchObject({ [call.callId]: { phase: 'working' } })
  expect(Object.keys(client.store.getState().calls)).toHaveLength(1)
})

it.each(['A', 'B'] as const)('a call is cancelled while its process %s cannot reach the server', async (name) => {
  const { server, client, route } = setUp()
  route.actions = name
  void client.connect()
  await server.advance(500)
  server.faults.drop()
  const call = client.startToolCall(WORK, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(3000)
  let isDone = false
  call.cancel().then(
    () => (isDone = true),
    () => (isDone = true),
  )
  await server.advance(60_000)
  expect([isDone, call.getState().phase]).toEqual([true, 'cancelled'])
})

it.each(['A', 'B'] as const)(
  'a call is cancelled while its process %s waits for an answer to tools/call',
  async (name) => {
    const { server, client, route } = setUp()
    route.actions = name
    void client.connect()
    await server.advance(500)
    server.faults.delay(100_000, { method: 'tools/call' })
    const call = client.startToolCall(WORK, { key: 'k' })
    call.result.catch(() => {})
    await server.advance(3000)
    let isDone = false
    call.cancel().then(
      () => (isDone = true),
      () => (isDone = true),
    )
    await server.advance(60_000)
    expect([isDone, call.getState().phase]).toEqual([true, 'cancelled'])
  },
)

it.each(['A', 'B'] as const)('a call is forgotten while its process %s cannot reach the server', async (name) => {
  const { server, client, route, processes } = setUp()
  route.actions = name
  void client.connect()
  await server.advance(500)
  server.faults.drop()
  const call = client.startToolCall(WORK, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(3000)
  let isDone = false
  client.forget({ callId: call.callId }).then(
    () => (isDone = true),
    () => (isDone = true),
  )
  await server.advance(60_000)
  expect([isDone, processes[name].client.store.getState().calls]).toEqual([true, {}])
})

it('a call that is forgotten before it could be sent is not made', async () => {
  const { server, client, route, kill } = setUp()
  void client.connect()
  await server.advance(500)
  await kill('B')
  const call = client.startToolCall(WORK, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(3000)
  let isDone = false
  void client.forget({ callId: call.callId }).then(() => (isDone = true))
  await server.advance(3000)
  route.actions = 'C'
  await server.advance(60_000)
  expect([isDone, server.count('tools/call')]).toEqual([true, 0])
})

it('a call is forgotten by another process than the one that has taken it and waits for its storage', async () => {
  const { server, client, route, slow } = setUp()
  route.actions = 'D'
  void client.connect()
  await server.advance(500)
  slow.add('B')
  route.actions = 'B'
  const call = client.startToolCall(WORK, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(3000)
  route.actions = 'C'
  await Promise.all([client.forget({ callId: call.callId }), server.advance(60_000)])
  slow.delete('B')
  await server.advance(60_000)
  expect(client.store.getState().calls).toEqual({})
  expect(server.count('tools/call')).toBe(0)
})

it('a call is forgotten by another process than the one that has taken it and cannot reach the server', async () => {
  const { server, client, route } = setUp()
  route.actions = 'D'
  void client.connect()
  await server.advance(500)
  server.faults.drop()
  route.actions = 'B'
  const call = client.startToolCall(WORK, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(3000)
  route.actions = 'C'
  await Promise.all([client.forget({ callId: call.callId }), server.advance(60_000)])
  server.faults.clear()
  await server.advance(60_000)
  expect(client.store.getState().calls).toEqual({})
  expect(server.count('tools/call')).toBe(0)
})
