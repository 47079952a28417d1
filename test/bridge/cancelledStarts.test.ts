import { TaskCancelledError, type TaskClient, type TaskStorage, type ToolCall, ToolCallRejectedError } from 'taskwire'
import { describe, expect, it, vi } from 'vitest'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { createBridgedBackend, type SharedBackend } from '../support/bridgedBackend.js'
import { createWorkServer } from '../support/workServer.js'
import { replaceable } from './world.js'

const WORK = { name: 'work', arguments: { seconds: 60 } }

function setUp(options: Parameters<typeof createBridgedBackend>[1] = {}, shared?: SharedBackend) {
  const server = createWorkServer({ browser: { turns: 60 } })
  const how = shared && { storage: replaceable(memoryStorage()) }
  const backend = createBridgedBackend(server, options, how, undefined, undefined, shared)
  const first = backend.openPage()
  const storage = first.page.environment.storage('local')
  const start = (key?: string) => {
    const call = first.client.startToolCall(WORK, { ...(key !== undefined && { key }) })
    call.result.catch(() => {})
    return call
  }
  const cancel = (call: ToolCall) => {
    const cancelled = call.cancel()
    cancelled.catch(() => {})
    return cancelled
  }
  const ids = (type: string) => backend.requests.flatMap(({ body }) => (body?.action.type === type ? [body.id] : []))
  return {
    ...{ server, backend, first },
    /** The ids under which pages have sent cancellations. */
    cancels: () => [...new Set(ids('cancel'))],
    kept: () =>
      Array.from({ length: storage?.length ?? 0 }, (_, at) => String(storage?.getItem(storage.key(at) ?? ''))),
    /** What has become of calls at the MCP server. */
    calls: () => [server.count('tools/call'), server.count('tasks/cancel')],
    open: (...args: Parameters<typeof backend.openPage>) => {
      const next = backend.openPage(...args)
      void next.client.connect().catch(() => {})
      return next
    },
    /** Closes the first page: nothing reaches it any longer. */
    crash: async () => {
      first.network.cut()
      await first.page.crash()
    },
    begin: async () => {
      void first.client.connect()
      await server.advance(500)
    },
    /** Starts a call and cancels it at once. */
    startAndCancel: (key: string) => {
      const call = start(key)
      return { call, cancelled: cancel(call) }
    },
    /** Cancels a call whose start is on its way. */
    cancelSent: async (key?: string) => {
      const call = start(key)
      await server.advance(20)
      return { call, cancelled: cancel(call) }
    },
  }
}

/** A backend that asks a database whether a page may start a call. */
function startsAllowedLater() {
  let allowStarts = () => {}
  const isAllowed = new Promise<boolean>((resolve) => {
    allowStarts = () => resolve(true)
  })
  return {
    allow: ({ type }: { readonly type: string }) => type !== 'start' || isAllowed,
    allowStarts: () => allowStarts(),
  }
}

const phases = (client: TaskClient) => Object.values(client.store.getState().calls).map(({ phase }) => phase)

describe('a call that was started and cancelled offline', () => {
  // page  offline: start ─ cancel() ─ online ─ sends that the start is cancelled ─ never was one: cancelled
  it('is not made when the network is back, and ends as cancelled', async () => {
    const { server, cancels, first, kept, calls, begin, startAndCancel } = setUp()
    await begin()
    await first.page.setOnline(false)
    const { call, cancelled } = startAndCancel('k')
    await server.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'calling', isCancelling: true, network: 'offline' })
    expect(kept()).toHaveLength(1)
    await first.page.setOnline(true)
    await server.advance(10_000)
    await cancelled
    await expect(call.result).rejects.toBeInstanceOf(TaskCancelledError)
    expect(call.getState()).toMatchObject({ phase: 'cancelled', isCancelling: false })
    expect(calls()).toEqual([0, 0])
    expect([cancels().length, kept()]).toEqual([1, []])
  })

  // page  cancelled ─ cut off ································ hears of the new process: ended
  // other page                  start ─ same key ─ completed
  it('shows what another page has made under its key since, also of a backend that was started again', async () => {
    const { server, backend, first, begin, startAndCancel } = setUp()
    await begin()
    const { call } = startAndCancel('k')
    await server.advance(1000)
    expect(call.getState().phase).toBe('cancelled')
    first.network.cut()
    const other = backend.openPage(() => 'ada', { crossTab: false })
    const made = other.client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k' })
    await server.advance(10_000)
    expect(made.getState().phase).toBe('completed')
    await backend.restart()
    first.network.mend()
    await server.advance(60_000)
    expect(first.client.getToolCallState(call.callId)?.phase).toMatch(/^(ended|completed)$/)
  })

  // page  offline: start ─ cancel() ─ ▪        next page  online: sends it ─ never was one
  it('is not made after a reload, and the next page sends the cancellation once', async () => {
    const { server, cancels, first, kept, calls, begin, startAndCancel, open, crash } = setUp()
    await begin()
    await first.page.setOnline(false)
    startAndCancel('k')
    await server.advance(1000)
    await crash()
    const { client } = open()
    await server.advance(10_000)
    expect(phases(client)).toEqual([])
    expect(calls()).toEqual([0, 0])
    expect([cancels().length, kept()]).toEqual([1, []])
  })

  it('can be started by the next page, which does not cancel that', async () => {
    const { server, kept, first, calls, begin, startAndCancel, open, crash } = setUp()
    await begin()
    await first.page.setOnline(false)
    startAndCancel('k')
    await server.advance(1000)
    await crash()
    const { client } = open()
    const call = client.startToolCall(WORK, { key: 'k' })
    await server.advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: false })
    expect(calls()).toEqual([1, 0])
    expect(kept()).toEqual([])
  })

  it('leaves alone what another device starts under its key later', async () => {
    const { server, backend, first, kept, calls, begin, startAndCancel, open, crash } = setUp()
    await begin()
    await first.page.setOnline(false)
    startAndCancel('k')
    await crash()
    await server.advance(120_000)
    const other = backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 100 } }, { key: 'k' })
    await server.advance(1000)
    const { client } = open()
    await server.advance(10_000)
    expect(phases(client)).toEqual(['working'])
    expect(other.getState()).toMatchObject({ phase: 'working', isCancelling: false })
    expect([calls(), kept()]).toEqual([[1, 0], []])
  })

  it('leaves alone the call of that key of another user', async () => {
    const { server, backend, first, cancels, kept, begin, startAndCancel, open, crash } = setUp()
    await begin()
    await first.page.setOnline(false)
    const theirs = backend.clientOf('eve').startToolCall(WORK, { key: 'k' })
    startAndCancel('k')
    await crash()
    open(() => 'eve')
    await server.advance(10_000)
    expect(theirs.getState()).toMatchObject({ phase: 'working', isCancelling: false })
    expect([cancels(), kept()]).toEqual([[], []])
  })
})

describe('a call that was cancelled before its start was answered', () => {
  // page     start ─────────── ▪ cancel() ▪ closed
  // backend        tools/call ─ task ·················· cancelled ─ tasks/cancel
  it.each([['k'], [undefined]])('is cancelled by the next page (key: %s)', async (key) => {
    const { server, cancels, first, kept, calls, begin, cancelSent, open, crash } = setUp()
    await begin()
    first.network.delayAnswers(1, 60_000)
    await cancelSent(key)
    await server.advance(3000)
    await crash()
    expect([calls(), cancels()]).toEqual([[1, 0], []])
    const { client } = open()
    const states: (readonly unknown[])[] = []
    client.store.subscribe(({ calls: all }) => {
      for (const { phase, isCancelling } of Object.values(all)) states.push([phase, isCancelling])
    })
    await server.advance(10_000)
    expect(states[0]).toEqual(['working', true])
    expect(phases(client)).toEqual(['cancelled'])
    expect(calls()).toEqual([1, 1])
    expect([cancels().length, kept()]).toEqual([1, []])
  })

  it('is cancelled by the next page where it was started before the first news', async () => {
    const { server, cancels, first, kept, calls, cancelSent, open, crash } = setUp()
    first.network.delayAnswers(1, 60_000)
    await cancelSent('k')
    await server.advance(20)
    await crash()
    const { client } = open()
    await server.advance(10_000)
    expect(phases(client)).toEqual(['cancelled'])
    expect(calls()).toEqual([1, 1])
    expect([cancels().length, kept()]).toEqual([1, []])
  })

  it('is cancelled by the next page although the backend was restarted in between', async () => {
    const { server, backend, first, cancels, kept, calls, begin, cancelSent, open, crash } = setUp()
    await begin()
    first.network.delayAnswers(1, 60_000)
    await cancelSent('k')
    await server.advance(3000)
    await crash()
    await backend.restart()
    const { client } = open()
    await server.advance(10_000)
    expect(phases(client)).toEqual(['cancelled'])
    expect(calls()).toEqual([1, 1])
    expect([cancels().length, kept()]).toEqual([1, []])
  })

  it('is cancelled although its backend is another one when it can be reached again a minute later', async () => {
    const { server, backend, first, kept, calls, cancelSent } = setUp()
    first.network.delayAnswers(1, 60_000)
    const { call } = await cancelSent('k')
    first.network.cut()
    await server.advance(3000)
    await backend.restart()
    await server.advance(25_000)
    first.network.mend()
    await server.advance(40_000)
    expect(call.getState().phase).toBe('cancelled')
    expect([calls(), kept()]).toEqual([[1, 1], []])
  })

  /** A page that hears no news while it is deaf, and a backend that records nothing while it is stuck. */
  function setUpDeaf() {
    const server = createWorkServer({ browser: { turns: 60 } })
    const records = replaceable(memoryStorage())
    const is = { deaf: false, stuck: false }
    const replaceItem: TaskStorage['replaceItem'] = (...args) =>
      is.stuck ? new Promise<never>(() => {}) : records.replaceItem(...args)
    const backend = createBridgedBackend(server, {}, { storage: { ...records, replaceItem } })
    const fetch = (_: string | URL, init: RequestInit = {}) =>
      is.deaf && init.method !== 'POST' ? Promise.reject(new TypeError('fetch failed')) : network.send(init)
    const { client, network } = backend.openPage(undefined, { fetch })
    const settled = vi.fn()
    client.onToolCallSettled(settled)
    void client.connect()
    return {
      ...{ server, backend, client, network, is },
      /** Expects that the call has ended as cancelled, was told of once, and was never made. */
      expectCancelled: async ({ result, callId }: ToolCall) => {
        await expect(result).rejects.toThrow(TaskCancelledError)
        expect(client.store.getState().calls).toMatchObject({ [callId]: { phase: 'cancelled' } })
        expect(settled).toHaveBeenCalledTimes(1)
        expect(server.count('tools/call')).toBe(0)
      },
    }
  }

  // page      start ─ news: calling ─ cancel() ──────────── cancelled
  // process A           not recorded ───── killed
  // process B                                    nothing recorded
  it('ends as cancelled where the process that told of it is killed before it has recorded it', async () => {
    const { server, backend, client, network, is, expectCancelled } = setUpDeaf()
    await server.advance(500)
    is.stuck = true
    const call = client.startToolCall(WORK, { key: 'k' })
    await server.advance(2000)
    is.deaf = true
    network.cut()
    call.cancel().catch(() => {})
    await backend.restart()
    is.stuck = false
    network.mend()
    await server.advance(10_000)
    is.deaf = false
    await server.advance(60_000)
    await expectCancelled(call)
  })

  // page      start ─ cancel() ─ taken, no news ·········· no one knows it ─ cancelled
  // process A           no server ─ cancelled ─ killed
  it.each(['work', 'look'])('of %s is not made again where the process that has cancelled it is gone', async (name) => {
    const { server, backend, client, network, is, expectCancelled } = setUpDeaf()
    server.faults.drop()
    await server.advance(500)
    const call = client.startToolCall({ name, arguments: { seconds: 60 } }, { key: 'k' })
    await server.advance(2000)
    is.deaf = true
    network.dropStreams()
    call.cancel().catch(() => {})
    await server.advance(15_000)
    expect(backend.count('cancel')).toBe(1)
    await backend.restart()
    server.faults.clear()
    is.deaf = false
    await server.advance(60_000)
    await expectCancelled(call)
  })

  it('is cancelled where the next page starts it again', async () => {
    const { server, cancels, first, kept, calls, begin, cancelSent, open, crash } = setUp()
    await begin()
    first.network.delayAnswers(1, 60_000)
    await cancelSent('k')
    await server.advance(3000)
    await crash()
    const { client } = open()
    const again = client.startToolCall(WORK, { key: 'k' })
    again.result.catch(() => {})
    await server.advance(10_000)
    expect(again.getState().phase).toBe('cancelled')
    expect(calls()).toEqual([1, 1])
    expect([cancels().length, kept()]).toEqual([1, []])
  })

  it('is cancelled by the page itself where the answer is lost', async () => {
    const { server, cancels, first, kept, calls, begin, cancelSent } = setUp()
    await begin()
    first.network.loseAnswers(1)
    const { call, cancelled } = await cancelSent('k')
    await server.advance(10_000)
    await cancelled
    expect(call.getState()).toMatchObject({ phase: 'cancelled', isCancelling: false })
    expect([calls(), cancels().length, kept()]).toEqual([[1, 1], 1, []])
  })

  // page          start ─ cancel() ─ ▪ closed
  // backend   allow: asks a database ············ tools/call
  // next page                       cancelled ─┘
  it('is cancelled where the backend still looks whether it is allowed', async () => {
    const { allow, allowStarts } = startsAllowedLater()
    const { server, kept, calls, begin, cancelSent, open, crash } = setUp({ allow })
    await begin()
    await cancelSent('k')
    await server.advance(1000)
    await crash()
    const { client } = open()
    await server.advance(2000)
    expect(calls()).toEqual([0, 0])
    allowStarts()
    await server.advance(10_000)
    expect(phases(client)).toEqual(['cancelled'])
    expect(calls()).toEqual([1, 1])
    expect(kept()).toEqual([])
  })

  // page       start ─ cancel() ····························· answer ─ cancel
  // process A    asks a database ················ tools/call ─┘
  // tab                         cancelled
  // process B                       └ nothing known                       └ tasks/cancel
  it('is cancelled by its page although a process that was asked by another tab knew nothing of it', async () => {
    const { allow, allowStarts } = startsAllowedLater()
    let reached = 0
    const { server, backend, kept, calls, begin, cancelSent, open } = setUp(
      { allow },
      { processes: 2, pick: () => reached },
    )
    await begin()
    backend.messages()?.lose(10_000)
    const { call } = await cancelSent('k')
    reached = 1
    open()
    await server.advance(5000)
    allowStarts()
    await server.advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'cancelled', isCancelling: false })
    expect([calls(), kept()]).toEqual([[1, 1], []])
  })

  // page       start ─ cancel()
  // process A    asks a database │·········· told: not made
  // process B                   cancelled ─┘
  it('is not made by the process that still looks whether it is allowed', async () => {
    const { allow, allowStarts } = startsAllowedLater()
    let reached = 0
    const { server, kept, calls, begin, cancelSent, open } = setUp({ allow }, { processes: 2, pick: () => reached })
    await begin()
    const { call } = await cancelSent('k')
    reached = 1
    open()
    await server.advance(5000)
    allowStarts()
    await server.advance(10_000)
    expect(call.getState().phase).toBe('cancelled')
    expect([calls(), kept()]).toEqual([[0, 0], []])
  })

  // page       start ······ cancel()
  // process A    frozen ····│····· thaws: reads the start, told: tasks/cancel
  // process B              cancelled ─┘
  it.each([
    ['the start', 0],
    ['its first request', 1],
  ])('does not go on at the process that was frozen before it read %s', async (_what, before) => {
    let reached = before
    // Of those that the load balancer takes for alive.
    const pick = (count: number) => Math.min(reached, count - 1)
    const { server, backend, first, calls, cancelSent, crash } = setUp({}, { processes: 2, pick })
    void first.client.connect()
    await server.advance(500)
    reached = 0
    backend.freeze(9500)
    const { call } = await cancelSent('k')
    reached = 1
    await server.advance(8000)
    expect(call.getState().phase).toBe('cancelled')
    await crash()
    await server.advance(4000)
    // It would tell once more.
    await backend.restart()
    await server.advance(60_000)
    expect(calls()[1]).toBe(calls()[0])
  })

  // page       start, again ─ news: calling ─ cancel()
  // process A    no server ···················│··········· told: not made
  // process B                                 knows the run before ─┘
  it.each([['settled'], ['always']] as const)(
    'is not made again (repeat: %s) by a process that cannot reach the server, nor ends with the result of before',
    async (repeat) => {
      let reached = 0
      const { server, first, kept, calls, begin } = setUp({}, { processes: 2, pick: () => reached })
      await begin()
      const start = (how = {}) => {
        const call = first.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k', ...how })
        call.result.catch(() => {})
        return call
      }
      start()
      await server.advance(10_000)
      reached = 1
      const action = { type: 'resume', call: { name: 'work', key: 'k' } }
      const headers = { 'content-type': 'application/json' }
      void first.network.send({ method: 'POST', headers, body: JSON.stringify({ v: 1, id: 'resume', action }) })
      await server.advance(2000)
      reached = 0
      const isBack = server.faults.drop()
      const again = start({ repeat })
      await server.advance(3000)
      reached = 1
      again.cancel().catch(() => {})
      await server.advance(40_000)
      await expect(again.result).rejects.toBeInstanceOf(TaskCancelledError)
      isBack()
      const sent = calls()
      await server.advance(60_000)
      expect([calls(), kept()]).toEqual([sent, []])
    },
  )

  // process A  tools/call, no server ─ told: cancelled ─ started again ····· told once more: not meant
  it('can be made again although its cancellation is told once more', async () => {
    let reached = 0
    const { server, first, begin, cancelSent } = setUp({}, { processes: 2, pick: () => reached })
    await begin()
    const isBack = server.faults.drop()
    const { call } = await cancelSent('k')
    reached = 1
    await server.advance(4000)
    expect(call.getState().phase).toBe('cancelled')
    reached = 0
    const again = first.client.startToolCall(WORK, { key: 'k', repeat: 'settled' })
    again.result.catch(() => {})
    await server.advance(1000)
    isBack()
    await server.advance(30_000)
    expect(again.getState()).toMatchObject({ phase: 'working', isCancelling: false })
  })

  it('goes on in another process where pages do not see it, or may not cancel it', async () => {
    const hidden = { shows: ({ key }: { readonly key?: string }) => key !== 'hidden' }
    const allow = ({ type, tool }: { readonly type: string; readonly tool: string }) =>
      type !== 'cancel' || tool === 'work'
    let reached = 0
    const { server, backend, first } = setUp({ ...hidden, allow }, { processes: 2, pick: () => reached })
    const isBack = server.faults.drop()
    void first.client.resumeToolCalls()
    await server.advance(500)
    const [client] = backend.clientsOf('ada')
    const call = client?.startToolCall(WORK, { key: 'hidden' })
    const other = client?.startToolCall({ name: 'look', arguments: { seconds: 60 } }, { key: 'k' })
    reached = 1
    const headers = { 'content-type': 'application/json' }
    const ask = (name: string, key: string) => {
      const action = { type: 'cancel', call: { name, key } }
      void first.network.send({ method: 'POST', headers, body: JSON.stringify({ v: 1, id: key, action }) })
    }
    ask('work', 'hidden')
    ask('look', 'k')
    await server.advance(30_000)
    isBack()
    await server.advance(30_000)
    expect([call?.getState().phase, other?.getState().phase]).toEqual(['working', 'working'])
  })

  // page       start ─ cancel()
  // process A    no server ·····│·········· told: not made
  // process B                   cancelled ─┘
  it.each([
    ['hears of it', 0],
    ['has lost the first message of it', 25_000],
  ])('is not made by a process that cannot reach the server, and %s', async (_what, lostMs) => {
    let reached = 0
    const { server, backend, first, kept, calls, cancelSent } = setUp({}, { processes: 2, pick: () => reached })
    const isBack = server.faults.drop()
    void first.client.resumeToolCalls()
    await server.advance(500)
    if (lostMs > 0) backend.messages()?.lose(lostMs)
    const { call } = await cancelSent('k')
    reached = 1
    await server.advance(40_000)
    expect(call.getState().phase).toBe('cancelled')
    isBack()
    await server.advance(60_000)
    expect([calls(), kept()]).toEqual([[0, 0], []])
  })

  // page       start ─ news: calling ─ cancel()
  // process A    tools/call, no server ····│··········· told: cancelled, not sent again
  // process B                              not found ─┘
  it('is not sent again by the process that has it and can no longer reach the server', async () => {
    let reached = 0
    const { server, kept, calls, begin, cancelSent } = setUp({}, { processes: 2, pick: () => reached })
    await begin()
    const isBack = server.faults.drop()
    const { call } = await cancelSent('k')
    reached = 1
    await server.advance(10_000)
    expect(call.getState().phase).toBe('cancelled')
    const sent = calls()
    isBack()
    await server.advance(60_000)
    expect([calls(), kept()]).toEqual([sent, []])
  })

  // page       start ─ cancel()
  // process A    tools/call ···│··········· told ─ task ─ tasks/cancel
  // process B                  cancelled ─┘
  it('is cancelled by the process that has sent it and waits for its response', async () => {
    let reached = 0
    const { server, kept, calls, begin, cancelSent } = setUp({}, { processes: 2, pick: () => reached })
    await begin()
    server.faults.delay(8000, { method: 'tools/call', times: 1 })
    const { call } = await cancelSent('k')
    reached = 1
    await server.advance(60_000)
    expect(call.getState().phase).toBe('cancelled')
    expect([calls(), kept()]).toEqual([[1, 1], []])
  })

  // page       start ─ cancel()
  // process A    tools/call ─ frozen ··│······ thaws: task ─ told ─ tasks/cancel
  // process B                          cancelled ─┘
  it('is cancelled by the process that had it and was frozen', async () => {
    let reached = 0
    const { server, backend, kept, calls, begin, cancelSent } = setUp({}, { processes: 2, pick: () => reached })
    await begin()
    const { call } = await cancelSent('k')
    backend.freeze(8000)
    reached = 1
    await server.advance(60_000)
    expect(call.getState().phase).toBe('cancelled')
    expect([calls()[1], kept()]).toEqual([calls()[0], []])
  })

  /** Has a process make a call that another one has taken as cancelled, because it was frozen and hears nothing; after so many ms it is killed. */
  async function makeAfterCancellation(ms: number) {
    let reached = 0
    const shared = { processes: 2, pick: (count: number) => Math.min(reached, count - 1) }
    const made = setUp({}, shared)
    const { server, backend, first, calls, begin, cancelSent } = made
    await begin()
    backend.freeze(9000)
    const { call } = await cancelSent('k')
    reached = 1
    await server.advance(8500)
    expect(call.getState().phase).toBe('cancelled')
    // Its page would cancel the task.
    first.network.cut()
    reached = 0
    await server.advance(ms)
    expect(calls()).toEqual([1, 0])
    await backend.restart()
    first.network.mend()
    const reach = (process: number) => {
      reached = process
    }
    return { ...made, call, reach }
  }

  // page       start ─ cancel()
  // process A    frozen ···│············· hears nothing: tools/call ─ task ─ killed
  // process B             cancelled ─┘                             finds its record ─ tasks/cancel
  it('is cancelled by another process where the one that has made it was frozen, and is killed', async () => {
    const { server, kept, calls, call } = await makeAfterCancellation(2000)
    await server.advance(60_000)
    expect(call.getState().phase).toBe('cancelled')
    expect([calls(), kept()]).toEqual([[1, 1], []])
  })

  // page       start ─ cancel()                                   start, again
  // process A    frozen ···│············· hears nothing: task ─ killed
  // process B             cancelled ─┘                                └ finds that task: tasks/cancel ─ tools/call
  it.each([
    ['the same page', 'settled'],
    ['another device', 'never'],
  ] as const)('is made anew for %s where a process that hears nothing has made it meanwhile', async (who, repeat) => {
    const { server, backend, first, calls, reach } = await makeAfterCancellation(1000)
    reach(1)
    const page = who === 'the same page' ? first : backend.openPage(undefined, { crossTab: false })
    const again = page.client.startToolCall(WORK, { key: 'k', repeat })
    again.result.catch(() => {})
    await server.advance(30_000)
    expect(again.getState()).toMatchObject({ phase: 'working', isCancelling: false })
    expect(calls()).toEqual([2, 1])
  })

  // page       start ─ cancel() ▪ closed
  // process A    frozen ················ tools/call ─ task ─ killed
  // next page                                                      cancelled ─ tasks/cancel
  it('is cancelled by the next page though its process was frozen for long, and is gone', async () => {
    const { server, backend, kept, calls, begin, cancelSent, open, crash } = setUp()
    await begin()
    backend.freeze(15_000)
    await cancelSent('k')
    await server.advance(1000)
    await crash()
    await server.advance(20_000)
    expect(calls()).toEqual([1, 0])
    await backend.restart()
    const { client } = open()
    await server.advance(20_000)
    expect(phases(client)).toEqual(['cancelled'])
    expect([calls(), kept()]).toEqual([[1, 1], []])
  })

  // page      start ······ lost ─ cancel() ─ ▪ closed
  // backend                                    cancelled ─── the start comes after all: refused
  it('is not made where the start comes after its cancellation', async () => {
    const { server, backend, first, kept, calls, begin, cancelSent, open, crash } = setUp()
    await begin()
    first.network.refuse(1, 60)
    await cancelSent('k')
    await server.advance(1000)
    await crash()
    const { network } = open()
    await server.advance(3000)
    expect(kept()).toEqual([])
    const cancel = backend.requests.find(({ body }) => body?.action.type === 'cancel')?.body
    const { id } = Object(cancel?.action['start'])
    const action = { type: 'start', name: 'work', key: 'k', arguments: { seconds: 5 }, repeat: 'never' }
    const headers = { 'content-type': 'application/json' }
    const late = await network.send({ method: 'POST', headers, body: JSON.stringify({ v: 1, id, action }) })
    expect([late.status, await late.json()]).toMatchObject([422, { error: { name: 'TaskCancelledError' } }])
    await server.advance(3000)
    expect(calls()).toEqual([0, 0])
  })

  it('goes on where pages may start it, and may not cancel it', async () => {
    const { server, kept, first, calls, begin, cancelSent } = setUp({ allow: ({ type }) => type !== 'cancel' })
    await begin()
    first.network.loseAnswers(1)
    const { call, cancelled } = await cancelSent('k')
    await server.advance(10_000)
    await expect(cancelled).rejects.toBeInstanceOf(ToolCallRejectedError)
    expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: false })
    expect([calls(), kept()]).toEqual([[1, 0], []])
  })

  // process A  start ─ tools/call ─ killed
  // process B                              cancelled: what the server has made of it is unknown ─ start, same key ─ task ─ tasks/cancel
  it('is sent again and then cancelled where its process was killed during the tools/call', async () => {
    const { server, backend, first, kept, calls, begin } = setUp()
    await begin()
    server.faults.delay(4000, { method: 'tools/call', times: 1 })
    const call = first.client.startToolCall(WORK, { key: 'k' })
    call.result.catch(() => {})
    await server.advance(500)
    call.cancel().catch(() => {})
    await backend.restart()
    first.network.dropStreams()
    await server.advance(30_000)
    expect(call.getState()).toMatchObject({ phase: 'cancelled', isCancelling: false })
    expect([calls(), kept()]).toEqual([[2, 1], []])
  })

  // page       start ─ cancel() ▪ closed
  // process A    intent ─ frozen ···································· tools/call ─ task
  // process B                       the next page: interrupted: told ·················· tasks/cancel
  it.each([
    ['its start, and hears of it', 500, 0],
    ['its start, and has lost all messages', 500, 40_000],
    ['its run, and hears of it', 2000, 0],
    ['its run, and has lost all messages', 2000, 40_000],
  ])('is cancelled where the process that makes it was frozen when a page cancelled %s', async (_, seenMs, lostMs) => {
    let reached = 0
    const pick = (count: number) => Math.min(reached, count - 1)
    const { server, backend, first, kept, begin, open, crash } = setUp({}, { processes: 2, pick })
    await begin()
    const isBack = server.faults.drop()
    const call = first.client.startToolCall(WORK, { key: 'k' })
    call.result.catch(() => {})
    await server.advance(seenMs)
    call.cancel().catch(() => {})
    await crash()
    backend.freeze(30_000)
    if (lostMs > 0) backend.messages()?.lose(lostMs)
    await server.advance(15_000)
    isBack()
    reached = 1
    // Another device, which has not kept that.
    open(() => 'ada', { scope: 'phone' })
    await server.advance(500)
    const { page } = open()
    await server.advance(12_000)
    await page.crash()
    await server.advance(60_000)
    expect(backend.clientsOf('ada').map((each) => phases(each))).toEqual([['cancelled'], ['cancelled']])
    expect(kept()).toEqual([])
  })

  // page       start ─ cancel() ─ cancelled ··························· working ─ cancel
  // process A    frozen ····│············· hears nothing: tools/call ─ task ─┘
  // process B              cancelled ─┘ killed
  it('is cancelled once more where the process that knew of it is gone, and its task is made after all', async () => {
    let reached = 0
    const pick = (count: number) => Math.min(reached, count - 1)
    const { server, backend, first, calls, kept, begin, cancelSent } = setUp({}, { processes: 2, pick })
    await begin()
    backend.freeze(9000)
    const { call } = await cancelSent('k')
    reached = 1
    await server.advance(8000)
    expect(call.getState().phase).toBe('cancelled')
    await backend.restart()
    await server.advance(500)
    reached = 0
    await server.advance(30_000)
    const [state] = Object.values(first.client.store.getState().calls)
    expect(state).toMatchObject({ phase: 'cancelled', task: { status: 'cancelled' } })
    expect([calls(), kept()]).toEqual([[1, 1], []])
  })

  // page       start ── calling ─ cancel() ─ cancelled ······················ working ─ cancel
  // process A    intent ─ frozen ··················· hears nothing: tools/call ─ task ─┘
  // process B          waits for A ───────── cancelled ─ killed
  it('is cancelled once more where the process is gone that had it as cancelled, and its task is made after all', async () => {
    let reached = 1
    const pick = (count: number) => Math.min(reached, count - 1)
    const { server, backend, first, calls, kept, begin } = setUp({}, { processes: 2, pick })
    await begin()
    reached = 0
    const isBack = server.faults.drop()
    const call = first.client.startToolCall(WORK, { key: 'k' })
    call.result.catch(() => {})
    await server.advance(1500)
    backend.messages()?.lose(60_000)
    backend.freeze(30_000)
    await server.advance(3000)
    reached = 1
    call.cancel().catch(() => {})
    await server.advance(15_000)
    await backend.restart()
    await server.advance(5000)
    isBack()
    await server.advance(60_000)
    const [state] = Object.values(first.client.store.getState().calls)
    expect(state).toMatchObject({ phase: 'cancelled', task: { status: 'cancelled' } })
    expect([calls()[1], kept()]).toEqual([1, []])
  })

  it('goes on in the page that has heard that its start was refused', async () => {
    const { server, kept, begin, cancelSent } = setUp({ allow: ({ type }) => type !== 'start' })
    await begin()
    const { call } = await cancelSent('k')
    await server.advance(5000)
    expect(call.getState().error).toBeInstanceOf(ToolCallRejectedError)
    expect(kept()).toEqual([])
  })
})

it('a call that was made again meanwhile is not cancelled', async () => {
  const { server, backend, first, kept, begin, cancelSent, open, crash } = setUp()
  await begin()
  first.network.delayAnswers(1, 60_000)
  await cancelSent('k')
  await server.advance(3000)
  await crash()
  backend
    .clientOf('ada')
    .startToolCall(WORK, { key: 'k', repeat: 'always' })
    .result.catch(() => {})
  await server.advance(1000)
  const { client } = open()
  await server.advance(5000)
  expect(phases(client)).toEqual(['working'])
  expect(kept()).toEqual([])
})

it('a run that has ended before is not cancelled, and stays as it is', async () => {
  const { server, backend, first, kept, begin, open, crash } = setUp()
  await begin()
  first.client.startToolCall({ name: 'work', arguments: { seconds: 1 } }, { key: 'k' })
  await server.advance(5000)
  await first.page.setOnline(false)
  const again = first.client.startToolCall(WORK, { key: 'k', repeat: 'settled' })
  again.result.catch(() => {})
  again.cancel().catch(() => {})
  await crash()
  const { client } = open()
  await server.advance(5000)
  expect(phases(client)).toEqual(['completed'])
  expect(Object.values(backend.clientOf('ada').store.getState().calls)).toMatchObject([{ phase: 'completed' }])
  expect(kept()).toEqual([])
})

it.each([
  ['forget()', (client: TaskClient, callId: string) => client.forget({ callId })],
  ['signOut()', (client: TaskClient) => client.signOut()],
])('%s removes what is kept of it', async (_, remove) => {
  const { kept, begin, first, startAndCancel } = setUp()
  await begin()
  await first.page.setOnline(false)
  const { call } = startAndCancel('k')
  expect(kept()).toHaveLength(1)
  remove(first.client, call.callId).catch(() => {})
  expect(kept()).toEqual([])
})
