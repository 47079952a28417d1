import { type TaskClient, TaskInputError, type ToolCall } from 'taskwire'
import { createElicitationForm } from 'taskwire/forms'
import { createSimulatedBrowser, type SimulatedBrowser } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
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
  readonly client: TaskClient
  readonly call: ToolCall
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { transfer: TRANSFER } }))
})

/** A tab in which the call asks. */
async function openTab(key = 'k'): Promise<Tab> {
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: browser.openPage().environment,
    push: false,
  })
  const call = client.startToolCall({ name: 'transfer' }, { key })
  await browser.advance(1500)
  expect(Object.keys(call.getState().inputRequests)).toEqual(['transfer'])
  return { client, call }
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
