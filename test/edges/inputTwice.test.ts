import { type TaskClient, type TaskClientUrlOptions, TaskInputError, type TaskStorage, type ToolCall } from 'taskwire'
import { createElicitationForm } from 'taskwire/forms'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  held,
  rpcError,
  type ScriptedServer,
  snapshot,
  unreachable,
} from '../support/scriptedServer.js'

const TRANSFER = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Transfer 900 EUR?',
    requestedSchema: { type: 'object', properties: { code: { type: 'string' } } },
  },
}
const ACCEPT = { action: 'accept', content: { code: '1234' } } as const
const DECLINE = { action: 'decline' } as const

let browser: SimulatedBrowser
let server: ScriptedServer

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
  readonly call: ToolCall
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', asking())
})

function asking(changes: { readonly taskId?: string; readonly pollIntervalMs?: number } = {}) {
  return snapshot({ ...changes, status: 'input_required', inputRequests: { transfer: TRANSFER } })
}

/** `lockNames` gets those of the locks that the page asks for. */
function openPage(
  options: Pick<TaskClientUrlOptions, 'storage' | 'input' | 'resume'> = {},
  lockNames?: Set<string>,
): Pick<Tab, 'page' | 'client'> {
  const page = browser.openPage()
  const { locks } = page.environment
  const noting: typeof locks = locks && {
    ...locks,
    request: (name, ...rest) => {
      lockNames?.add(name)
      return locks.request(name, ...rest)
    },
  }
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: { ...page.environment, ...(noting && { locks: noting }) },
    push: false,
    ...options,
  })
  return { page, client }
}

/** A tab in which the call asks. */
async function openTab(
  key = 'k',
  options: Pick<TaskClientUrlOptions, 'storage' | 'resume'> = {},
  lockNames?: Set<string>,
): Promise<Tab> {
  const { page, client } = openPage(options, lockNames)
  const call = client.startToolCall({ name: 'transfer' }, { key })
  await browser.advance(1500)
  expect(Object.keys(call.getState().inputRequests)).toEqual(['transfer'])
  return { page, client, call }
}

/** Into the back-forward cache. */
async function goAway({ page }: Tab): Promise<void> {
  await page.hidePage()
  page.freeze()
}

/** Out of it: the event comes first. */
function comeBack({ page }: Tab): void {
  void page.showPage()
  void page.thaw()
}

/** What became of a response, once it has. */
function outcomeOf(response: Promise<void>): { readonly state: () => string; readonly error: () => unknown } {
  let state = 'pending'
  let failure: unknown
  response.then(
    () => {
      state = 'resolved'
    },
    (error: unknown) => {
      state = 'rejected'
      failure = error
    },
  )
  return { state: () => state, error: () => failure }
}

const sent = () => server.received('tasks/update').map(({ params }) => params['inputResponses'])
const formOf = ({ client, call }: Tab) =>
  createElicitationForm({
    client,
    callId: call.callId,
    inputKey: 'transfer',
    request: call.getState().inputRequests['transfer'] as never,
  })

describe('two responses to one input request, while the first is on its way', () => {
  it('[EDGE-29] of which one differs: it is refused at once, and the first is sent', async () => {
    const response = held(ack)
    server.on('tasks/update', response)
    const { call } = await openTab()
    const first = outcomeOf(call.respond('transfer', ACCEPT))
    const second = outcomeOf(call.respond('transfer', DECLINE))
    await browser.advance(100)
    expect(second.state()).toBe('rejected')
    expect(second.error()).toBeInstanceOf(TaskInputError)
    expect(String(second.error())).toMatch(/another response/i)
    expect(first.state()).toBe('pending')
    // What is on its way is still shown as that, not as refused.
    expect(call.getState().inputResponses['transfer']).toMatchObject({ status: 'sending' })
    response.release()
    await browser.advance(100)
    expect(first.state()).toBe('resolved')
    expect(sent()).toEqual([{ transfer: ACCEPT }])
  })

  it('[EDGE-29] that are equal share one request, whatever the order of their members', async () => {
    const response = held(ack)
    server.on('tasks/update', response)
    const { call } = await openTab()
    const { action, content } = ACCEPT
    const both = [call.respond('transfer', ACCEPT), call.respond('transfer', { content: { ...content }, action })]
    const outcomes = both.map(outcomeOf)
    await browser.advance(100)
    response.release()
    await browser.advance(100)
    expect(outcomes.map(({ state }) => state())).toEqual(['resolved', 'resolved'])
    expect(sent()).toHaveLength(1)
  })

  it('[EDGE-29] of which the first is refused: the second can be given again, and is sent', async () => {
    server.on('tasks/update', rpcError(-32602, 'No such code'), ack)
    const { call } = await openTab()
    const first = outcomeOf(call.respond('transfer', ACCEPT))
    const second = outcomeOf(call.respond('transfer', DECLINE))
    await browser.advance(100)
    expect([first.state(), second.state()]).toEqual(['rejected', 'rejected'])
    await Promise.all([call.respond('transfer', DECLINE), browser.advance(100)])
    expect(sent()).toEqual([{ transfer: ACCEPT }, { transfer: DECLINE }])
  })

  it('[EDGE-29] of which the first is sent again and again: the second is refused all the while', async () => {
    server.on('tasks/update', unreachable)
    const { call } = await openTab()
    const first = outcomeOf(call.respond('transfer', ACCEPT))
    await browser.advance(10_000)
    const second = outcomeOf(call.respond('transfer', DECLINE))
    await browser.advance(100)
    expect([first.state(), second.state()]).toEqual(['pending', 'rejected'])
    server.on('tasks/update', ack)
    await browser.advance(60_000)
    expect(first.state()).toBe('resolved')
    expect(sent().slice(-1)).toEqual([{ transfer: ACCEPT }])
  })
})

describe('a response in another tab, while the first is on its way', () => {
  it.each([
    ['differs', DECLINE],
    ['is equal', ACCEPT],
  ])('[EDGE-29] is refused where it %s, once the first is taken', async (_, other) => {
    const response = held(ack)
    server.on('tasks/update', response)
    const [a, b] = [await openTab(), await openTab()]
    const first = outcomeOf(a.call.respond('transfer', ACCEPT))
    const second = outcomeOf(b.call.respond('transfer', other))
    await browser.advance(1000)
    expect([first.state(), second.state()]).toEqual(['pending', 'pending'])
    response.release()
    await browser.advance(1000)
    expect([first.state(), second.state()]).toEqual(['resolved', 'rejected'])
    expect(second.error()).toBeInstanceOf(TaskInputError)
    expect(String(second.error())).toMatch(/has been answered/)
    expect(sent()).toEqual([{ transfer: ACCEPT }])
    expect(b.call.getState().inputRequests).toEqual({})
  })

  it('[EDGE-29] is sent where the server has refused the first', async () => {
    const response = held(rpcError(-32602, 'No such code'))
    server.on('tasks/update', response, ack)
    const [a, b] = [await openTab(), await openTab()]
    const first = outcomeOf(a.call.respond('transfer', ACCEPT))
    const second = outcomeOf(b.call.respond('transfer', DECLINE))
    await browser.advance(100)
    response.release()
    await browser.advance(1000)
    expect([first.state(), second.state()]).toEqual(['rejected', 'resolved'])
    expect(sent()).toEqual([{ transfer: ACCEPT }, { transfer: DECLINE }])
  })

  it('[EDGE-29] is refused where another call of the same task has answered', async () => {
    const response = held(ack)
    server.on('tasks/update', response)
    const tab = await openTab()
    const other = tab.client.startToolCall({ name: 'transfer' }, { key: 'other' })
    await browser.advance(1500)
    const first = outcomeOf(tab.call.respond('transfer', ACCEPT))
    const second = outcomeOf(other.respond('transfer', DECLINE))
    await browser.advance(100)
    response.release()
    await browser.advance(1000)
    expect([first.state(), second.state()]).toEqual(['resolved', 'rejected'])
    expect(sent()).toEqual([{ transfer: ACCEPT }])
  })
})

// tab A  asked ─ in the back-forward cache ························ back: the user responds to what it still shows
// tab B         responds ── the task ends ── calls again ── tools/call: no task yet
describe('a response in a page that is back from the back-forward cache', () => {
  it('[EDGE-54] is refused where another tab has responded, and is making the call again', async () => {
    server.on('tasks/update', ack)
    const [a, b] = [await openTab(), await openTab()]
    await goAway(a)
    await Promise.all([b.call.respond('transfer', ACCEPT), browser.advance(100)])
    server.on('tasks/get', completed())
    await browser.advance(5000)
    expect(b.call.getState().phase).toBe('completed')
    server.on('tools/call', held(created()))
    b.client.startToolCall({ name: 'transfer' }, { key: 'k', repeat: 'always' }).result.catch(() => {})
    await browser.advance(100)
    comeBack(a)
    const late = outcomeOf(a.call.respond('transfer', DECLINE))
    await browser.advance(1000)
    expect(late.state()).toBe('rejected')
    expect(late.error()).toBeInstanceOf(TaskInputError)
    expect(sent()).toEqual([{ transfer: ACCEPT }])
  })

  // tab A  asked ─ in the back-forward cache ················ back: the user responds to what it still shows
  // tab B         a call of its own ─ responds ─ goes there, or stays
  it.each([
    ['is there now', true, 1000],
    ['is still open', false, 1000],
    ['is still open, and no poll is due', false, 60_000],
  ])(
    '[EDGE-54] is refused where a tab with another call of the task has responded, which %s',
    async (_, isGone, pollIntervalMs) => {
      server.on('tasks/update', ack)
      server.on('tasks/get', asking({ pollIntervalMs }))
      const [a, b] = [await openTab('a', { resume: 'lazy' }), await openTab('b', { resume: 'lazy' })]
      await goAway(a)
      await Promise.all([b.call.respond('transfer', ACCEPT), browser.advance(4000)])
      server.on('tasks/get', snapshot({ status: 'working', pollIntervalMs }))
      if (isGone) {
        await goAway(b)
      }
      comeBack(a)
      const late = outcomeOf(a.call.respond('transfer', DECLINE))
      await browser.advance(2500)
      expect(late.state()).toBe('rejected')
      expect(late.error()).toBeInstanceOf(TaskInputError)
      expect(sent()).toEqual([{ transfer: ACCEPT }])
    },
  )

  it('[EDGE-54] is sent once the other tabs had time to object, also where the next poll is far off', async () => {
    server.on('tasks/update', ack)
    server.on('tasks/get', asking({ pollIntervalMs: 60_000 }))
    const tab = await openTab()
    await goAway(tab)
    await browser.advance(4000)
    comeBack(tab)
    const response = outcomeOf(tab.call.respond('transfer', ACCEPT))
    await browser.advance(1500)
    expect(response.state()).toBe('resolved')
    expect(sent()).toEqual([{ transfer: ACCEPT }])
  })

  // tab A          respond(), waits ─ in the back-forward cache ········· granted ─ pageshow
  // tab B  respond(), sends ················· taken ─ the call is forgotten
  it('[EDGE-54] is refused where it waited for the one of another tab, by which the call was forgotten', async () => {
    const response = held(ack)
    server.on('tasks/update', response)
    const [a, b] = [await openTab(), await openTab()]
    const first = outcomeOf(b.call.respond('transfer', ACCEPT))
    await browser.advance(100)
    const late = outcomeOf(a.call.respond('transfer', DECLINE))
    await browser.advance(100)
    await goAway(a)
    response.release()
    await browser.advance(100)
    expect(first.state()).toBe('resolved')
    await Promise.all([b.client.forget({ callId: b.call.callId }), browser.advance(5000)])
    await a.page.thaw()
    await browser.advance(10)
    await a.page.showPage()
    await browser.advance(10_000)
    expect(late.state()).toBe('rejected')
    expect(sent()).toEqual([{ transfer: ACCEPT }])
  })

  // tab A  asked ─ frozen ··········· thawed ─ reads the later call ─ respond(), reads ─ hears what that asks ─ has read
  // tab B          the storage is cleared ─ calls: another task asks the same
  it('[EDGE-54] is not sent where the call was made again meanwhile, and what the later task asks stays open', async () => {
    server.on('tasks/update', ack)
    const { local } = browser.storage
    const reads: (() => void)[] = []
    let isSlow = false
    const storage: TaskStorage = {
      getItem: async (key) => {
        if (isSlow) await new Promise<void>((resolve) => reads.push(resolve))
        return local.getItem(key)
      },
      setItem: async (key, value) => local.setItem(key, value),
      removeItem: async (key) => local.removeItem(key),
      keys: async () => Array.from({ length: local.length }, (_, index) => local.key(index) ?? ''),
    }
    const a = await openTab('k', { storage })
    a.page.freeze()
    while (local.length > 0) local.removeItem(local.key(0) ?? '')
    server.on('tools/call', created({ taskId: 'task-2' }))
    server.on('tasks/get', (request) => asking({ taskId: String(request.params['taskId']) })(request))
    const later = openPage().client.startToolCall({ name: 'transfer' }, { key: 'k' })
    later.result.catch(() => {})
    await browser.advance(20_000)
    expect(Object.keys(later.getState().inputRequests)).toEqual(['transfer'])
    isSlow = true
    void a.page.thaw()
    await browser.advance(10)
    const late = outcomeOf(a.call.respond('transfer', DECLINE))
    reads.shift()?.()
    await browser.advance(1500)
    expect(Object.keys(a.call.getState().inputRequests)).toEqual(['transfer'])
    expect([a.call.getState().task?.taskId, late.state()]).toEqual(['task-2', 'pending'])
    isSlow = false
    for (const read of reads) read()
    await browser.advance(1000)
    expect(late.state()).toBe('rejected')
    expect(late.error()).toBeInstanceOf(TaskInputError)
    expect(sent()).toEqual([])
    await browser.advance(5000)
    expect(Object.keys(later.getState().inputRequests)).toEqual(['transfer'])
    await Promise.all([a.call.respond('transfer', ACCEPT), browser.advance(100)])
    expect(sent()).toEqual([{ transfer: ACCEPT }])
    expect(Object.keys(later.getState().inputRequests)).toEqual([])
  })
})

/** A storage that a page has for itself. */
function ownStorage(): TaskStorage {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    keys: () => [...items.keys()],
  }
}

// tab A  asked ──────── comes back, tells ················· tasks/get
// tab B          opens ─ is told ─ respond() ··· waits ············ sends it, or not
describe('a response in a page that knows of the call by another one, and has no record of it', () => {
  /** The page responds as soon as it shows the input request. */
  async function respondAtOnce(): Promise<{ response: ReturnType<typeof outcomeOf>; call: ToolCall }> {
    server.on('tasks/update', ack)
    const a = await openTab('k', { storage: ownStorage() })
    const { client } = openPage({ storage: ownStorage() })
    await Promise.all([client.connect(), browser.advance(100)])
    await a.page.hidePage()
    await a.page.showPage()
    await browser.advance(100)
    const call = client.getToolCall(a.call.callId) as ToolCall
    expect(Object.keys(call.getState().inputRequests)).toEqual(['transfer'])
    return { call, response: outcomeOf(call.respond('transfer', ACCEPT)) }
  }

  it('[EDGE-54] is sent once the server has said that the task still asks', async () => {
    const { response } = await respondAtOnce()
    await browser.advance(100)
    expect([response.state(), sent()]).toEqual(['pending', []])
    await browser.advance(1000)
    expect(response.state()).toBe('resolved')
    expect(sent()).toEqual([{ transfer: ACCEPT }])
  })

  it('[EDGE-54] is not sent where the server says that the task has ended', async () => {
    const { call, response } = await respondAtOnce()
    server.on('tasks/get', completed())
    await browser.advance(2000)
    expect(response.error()).toBeInstanceOf(TaskInputError)
    expect(call.getState().phase).toBe('completed')
    expect(sent()).toEqual([])
  })
})

// tab A  respond(), no network ─ its lock is taken away ─ waits for it ··· the task ends ─ has it again
// tab B                              respond(), waits ─ sends ─ taken
describe('a response that has lost its turn while it was sent again and again', () => {
  it('[EDGE-29] is not sent after the task has ended by the response of another tab', async () => {
    const names = new Set<string>()
    const response = held(ack)
    server.on('tasks/update', unreachable)
    const [a, b] = [await openTab('k', {}, names), await openTab()]
    const lost = outcomeOf(a.call.respond('transfer', ACCEPT))
    await browser.advance(100)
    const tries = sent().length
    const name = [...names].find((one) => one.includes(':input:')) ?? ''
    let giveBack = () => {}
    const taken = browser.openPage().environment.locks?.request(name, { steal: true }, () => {
      return new Promise<void>((resolve) => {
        giveBack = resolve
      })
    })
    const second = outcomeOf(b.call.respond('transfer', DECLINE))
    await browser.advance(20_000)
    expect([lost.state(), second.state(), sent().length]).toEqual(['pending', 'pending', tries])

    server.on('tasks/update', response)
    giveBack()
    await taken
    // Between the end of that response and the turn of this one, a poll says that the task has ended.
    const polls = server.received('tasks/get').length
    while (server.received('tasks/get').length === polls) await browser.advance(10)
    server.on('tasks/get', completed())
    await browser.advance(860)
    response.release()
    await browser.advance(1000)
    expect(a.call.getState().phase).toBe('completed')
    expect([lost.state(), second.state()]).toEqual(['rejected', 'resolved'])
    expect(lost.error()).toBeInstanceOf(TaskInputError)
    expect(sent().slice(tries)).toEqual([{ transfer: DECLINE }])
  })
})

describe('a form whose answer is not the one that is sent', () => {
  it('[EDGE-29] never says that it was declined: another tab has accepted', async () => {
    const response = held(ack)
    server.on('tasks/update', response)
    const [a, b] = [await openTab(), await openTab()]
    const [accepting, declining] = [formOf(a), formOf(b)]
    accepting.set('code', '1234')
    void accepting.submit()
    await browser.advance(100)
    void declining.decline()
    await browser.advance(100)
    expect(declining.getState().status).toBe('sending')
    response.release()
    await browser.advance(1000)
    expect(sent()).toEqual([{ transfer: ACCEPT }])
    expect(accepting.getState()).toMatchObject({ status: 'accepted', statusText: 'Sent.' })
    expect(declining.getState()).toMatchObject({ status: 'gone', isEditable: false })
    expect(declining.getState().statusText).toMatch(/given elsewhere/)
  })

  it('[EDGE-29] never says that it was declined: another form of the page has accepted', async () => {
    const response = held(ack)
    server.on('tasks/update', response)
    const tab = await openTab()
    const declining = formOf(tab)
    void tab.call.respond('transfer', ACCEPT)
    void declining.decline()
    await browser.advance(100)
    expect(declining.getState()).toMatchObject({ status: 'sending', isEditable: false })
    response.release()
    await browser.advance(100)
    expect(declining.getState().status).toBe('gone')
    expect(sent()).toEqual([{ transfer: ACCEPT }])
  })
})

// call 1  task ─ asks the handler ─ made anew: another task
// call 2     the same task ·························· responds with what the handler says
it('[EDGE-29] a response of a handler is sent where the call that asked it was made anew, and another one follows the task', async () => {
  server.on('tools/call', created(), created(), created({ taskId: 'task-2' }))
  server.on('tasks/update', ack)
  const asked: ((response: typeof ACCEPT) => void)[] = []
  const elicitation = () => new Promise<typeof ACCEPT>((resolve) => asked.push(resolve))
  const { client } = openPage({ input: { handlers: { elicitation } } })
  const start = (key: string, repeat: 'never' | 'always' = 'never') =>
    client.startToolCall({ name: 'transfer' }, { key, repeat }).result.catch(() => {})
  void start('a')
  await browser.advance(10)
  void start('b')
  await browser.advance(1500)
  expect(asked).toHaveLength(1)
  server.on('tasks/get', (request) => snapshot({ taskId: request.params['taskId'] })(request))
  void start('a', 'always')
  await browser.advance(10)
  asked[0]?.(ACCEPT)
  await browser.advance(100)
  expect(sent()).toEqual([{ transfer: ACCEPT }])
})
