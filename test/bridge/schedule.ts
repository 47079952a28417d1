import type { ToolCall } from 'taskwire'
import { judge, type OpenPage, type StartedCall, statesOf } from './judge.js'
import { createWorld, LONG } from './world.js'

const RESPONSE = { action: 'accept', content: { size: 'large' } } as const
const SECOND = 1000
const HOUR = 3600 * SECOND

/**
 * Pages, networks and backends as they fail, at random; then everything is well again, and all has to be told. Returns what
 * is wrong after that.
 */
export async function playSchedule(seed: number, steps: number): Promise<string[]> {
  const world = createWorld(seed)
  const { kind, refused, session, server, backend, random, users, aheadUpTo } = world
  const pages: OpenPage[] = []
  const closed: OpenPage[] = []
  const calls: StartedCall[] = []
  /** Ids of calls that the app has cancelled or forgotten. */
  const cancelled = new Set<string>()
  const forgotten = new Set<string>()
  const clock = server.browser.openPage().environment
  let switchedAt = Number.NEGATIVE_INFINITY
  /** Ends the loss of `tools/call` requests. A call that loses six of them gives up, and one after the other is lost in an outage. */
  let endCallLoss = () => {}
  let callsLostAt = Number.NEGATIVE_INFINITY
  const upTo = (count: number) => Math.floor(random() * count)
  const pick = <T>(list: readonly T[]): T | undefined => list[upTo(list.length)]
  const awake = () => pages.filter(({ isFrozen }) => !isFrozen)
  const callsOfAwake = () => calls.filter(({ of }) => pages.includes(of) && !of.isFrozen)

  function open(): void {
    const user = kind === 'switching' ? session.user : (pick(users) ?? 'ada')
    const scope = kind === 'switching' ? 'any' : user
    const opened = { ...backend.openPage(() => user, { scope }, aheadUpTo(HOUR)), user, isFrozen: false }
    opened.client.resumeToolCalls().catch(() => {})
    pages.push(opened)
  }

  function start(of: OpenPage, key: string, how: { readonly seconds: number; readonly asks: boolean }): void {
    const isOwn = !statesOf(of.client).some((call) => call.key === key)
    const id = `${of.user} ${key}`
    const call = of.client.startToolCall({ name: 'work', arguments: { id, ...how } }, { key })
    // A page may show the user of before for a minute.
    const isLeft = clock.now() < switchedAt + 70 * SECOND
    const started: StartedCall = { call, key, id, of, isOwn, isLeft, outcome: undefined }
    calls.push(started)
    call.result.then(
      () => (started.outcome = 'resolved'),
      () => (started.outcome = 'rejected'),
    )
  }

  function forget({ id, call, of }: StartedCall): void {
    // Where the backend refuses, the page shows the call again, by another handle.
    if (!refused.has('forget')) forgotten.add(id)
    for (const each of calls) if (each.of === of && each.id === id) each.isLeft = true
    of.client.forget({ callId: call.callId }).catch(() => {})
  }

  function respond(call: ToolCall | undefined): void {
    for (const inputKey of Object.keys(call?.getState().inputRequests ?? {}))
      call?.respond(inputKey, RESPONSE).catch(() => {})
  }

  const kinds: (() => unknown)[] = [
    () => pages.length < 3 && open(),
    () => {
      const of = pick(awake())
      const key = `call-${calls.length}`
      if (of !== undefined) start(of, key, { seconds: upTo(6), asks: random() < 0.3 })
    },
    () => {
      const [known, of] = [pick(calls.filter(({ id }) => !forgotten.has(id))), pick(awake())]
      const { seconds, asks } = known?.call.getState().arguments ?? {}
      if (known === undefined || of === undefined || seconds === undefined || seconds === LONG) return
      // The same key of another user is another call.
      start(of, known.key, { seconds: Number(seconds), asks: asks === true })
    },
    () => {
      respond(pick(callsOfAwake())?.call)
    },
    () => {
      const unwanted = pick(callsOfAwake())
      if (unwanted === undefined || random() < 0.5) return
      cancelled.add(unwanted.id)
      unwanted.call.cancel().catch(() => {})
    },
    () => {
      const unwanted = pick(callsOfAwake())
      if (unwanted === undefined || random() < 0.7) return
      forget(unwanted)
    },
    // Two pages answer the same input request in the same instant.
    () => {
      const asked = pick(callsOfAwake())?.call
      if (asked === undefined) return
      for (const { client } of awake()) respond(client.getToolCall(asked.callId))
    },
    // In the middle of a call that begins.
    async () => {
      const of = pick(awake())
      if (of === undefined || pages.length < 2 || random() < 0.5) return
      const key = `call-${calls.length}`
      start(of, key, { seconds: upTo(6), asks: false })
      for (let turn = upTo(12); turn > 0; turn--) await undefined
      pages.splice(pages.indexOf(of), 1)
      closed.push(of)
      await Promise.all([of.client.close(), server.advance(0)])
    },
    async () => {
      const of = pick(awake())
      if (of === undefined || random() < 0.5) return
      const key = `call-${calls.length}`
      start(of, key, { seconds: upTo(6), asks: false })
      const started = calls.at(-1)
      for (let turn = upTo(12); turn > 0; turn--) await undefined
      if (started !== undefined) forget(started)
    },
    // A call that is cancelled before the backend has answered, by a page that may be closed before it has.
    async () => {
      const of = pick(awake())
      if (of === undefined) return
      start(of, `call-${calls.length}`, { seconds: refused.has('cancel') ? 1 : LONG, asks: false })
      const started = calls.at(-1)
      for (let turn = upTo(40); turn > 0; turn--) await undefined
      if (started === undefined) return
      cancelled.add(started.id)
      started.call.cancel().catch(() => {})
      if (pages.length < 2 || random() < 0.5) return
      pages.splice(pages.indexOf(of), 1)
      of.network.cut()
      await of.page.crash()
    },
    // Another user signs in, in the browser of all pages.
    () => {
      if (kind !== 'switching' || random() < 0.8) return
      session.user = session.user === 'ada' ? 'eve' : 'ada'
      switchedAt = clock.now()
      for (const each of pages) each.user = session.user
      for (const each of calls) each.isLeft = true
    },
    () => pick(pages)?.network.delayAnswers(1 + upTo(3), upTo(8000)),
    // What is in front of the backend, or of the MCP server, says when to come again.
    () => pick(pages)?.network.refuse(1 + upTo(3), 1 + upTo(5)),
    () => {
      server.faults.status(pick([429, 503]) ?? 503, {
        method: 'tasks/get',
        times: 1 + upTo(3),
        retryAfter: 1 + upTo(5),
      })
    },
    () => {
      if (clock.now() < callsLostAt + 10 * SECOND) return
      callsLostAt = clock.now()
      endCallLoss()
      const lose = pick(['request', 'response'] as const) ?? 'request'
      endCallLoss = server.faults.drop({ method: 'tools/call', lose, times: 1 })
    },
    // The MCP server is started again.
    () => {
      const isBack = server.faults.drop()
      server.faults.cut()
      clock.setTimeout(isBack, upTo(5000))
    },
    () => pick(pages)?.network.dropStreams(),
    () => pick(pages)?.network.cut(),
    () => pick(pages)?.network.mend(),
    () => pick(pages)?.network.loseAnswers(1 + upTo(2)),
    () => backend.restart(),
    () => backend.freeze(upTo(15_000)),
    () => backend.messages()?.lose(upTo(5000)),
    () => backend.messages()?.delay(upTo(5000)),
    () => backend.messages()?.repeat(1 + upTo(3)),
    () => {
      const frozen = pick(pages)
      if (frozen === undefined) return
      frozen.page.freeze()
      frozen.isFrozen = true
    },
    async () => {
      const frozen = pick(pages.filter(({ isFrozen }) => isFrozen))
      if (frozen === undefined) return
      frozen.isFrozen = false
      await frozen.page.thaw()
    },
    async () => {
      if (pages.length < 2) return
      const [crashed] = pages.splice(upTo(pages.length), 1)
      await crashed?.page.crash()
    },
  ]

  open()
  for (let at = 0; at < steps; at++) {
    await pick(kinds)?.()
    await server.advance(upTo(1500))
  }
  server.faults.clear()
  await backend.thaw()
  for (const each of pages) {
    each.network.mend()
    each.network.loseAnswers(0)
    each.network.delayAnswers(0, 0)
    each.network.refuse(0, 0)
    each.isFrozen = false
    await each.page.thaw()
  }
  await server.advance(100 * SECOND)
  for (const { client } of pages)
    for (const callId of Object.keys(client.store.getState().calls)) respond(client.getToolCall(callId))
  await server.advance(50 * SECOND)
  // A process that no page has asked has not read what the others have recorded, which takes up to two seconds an item.
  for (const user of users) for (const client of backend.clientsOf(user)) client.resumeToolCalls().catch(() => {})
  await server.advance(30 * SECOND)

  return judge({ world, pages, closed, calls, cancelled, forgotten })
}
