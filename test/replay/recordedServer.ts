import type { RecordedEvent } from '../../src/tools/devtools/recording/recording.js'

/** A request as it was recorded, and what came of it. */
interface Exchange {
  readonly of: string
  readonly messages: Of<'event'>[]
  answer?: Of<'answered' | 'failed'>
}

type Of<Type> = Extract<RecordedEvent, { type: Type }>

interface Request {
  readonly id?: string | number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/**
 * Answers each request as it was answered in a recording, and when `pass()` says that the recording has got there: the
 * nth for a task as the nth. What was not asked for then gets no answer.
 */
export function createRecordedServer(events: readonly RecordedEvent[]): {
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** This event of the recording happens now. */
  pass(event: RecordedEvent): void
} {
  const waiting = exchangesOf(events)
  const readAt = readingsOf(events)
  const closings = events.filter((event) => event.type === 'call' && event.observation.type === 'push-closed')
  const passed = new Set<RecordedEvent>()
  const waiters = new Map<RecordedEvent, (() => void)[]>()

  function until(event: RecordedEvent): Promise<void> {
    if (passed.has(event)) return Promise.resolve()
    return new Promise((resolve) => waiters.set(event, [...(waiters.get(event) ?? []), resolve]))
  }

  async function answered(request: Request): Promise<Response> {
    const of = nameOf(request)
    const index = waiting.findIndex((exchange) => exchange.of === of)
    const [exchange] = index < 0 ? [] : waiting.splice(index, 1)
    if (exchange?.answer === undefined) return new Promise(() => {})
    const { answer, messages } = exchange
    await until(readAt.get(answer) ?? answer)
    if (answer.type === 'failed') throw new TypeError('fetch failed')
    const { status, headers, isStream, message } = answer
    if (isStream) {
      const type = { 'content-type': 'text/event-stream' }
      return new Response(streamOf(request, messages), { status, headers: { ...headers, ...type } })
    }
    const body = message === undefined ? null : JSON.stringify(forRequest(message, request))
    return new Response(body, { status, headers: { ...headers, 'content-type': 'application/json' } })
  }

  function streamOf(request: Request, messages: Exchange['messages']): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder()
    return new ReadableStream({
      start: async (controller) => {
        let isEnded = false
        for (const event of messages) {
          await until(event)
          const said = forRequest(event.message, request)
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(said)}\n\n`))
          isEnded ||= 'id' in said
        }
        const last = messages.at(-1)
        const closing = closings.find((event) =>
          last === undefined ? !passed.has(event) : events.indexOf(event) > events.indexOf(last),
        )
        if (!isEnded && closing === undefined) return
        if (!isEnded && closing !== undefined) await until(closing)
        controller.close()
      },
    })
  }

  return {
    fetch: (_, { body, signal } = {}) =>
      new Promise((resolve, reject) => {
        const request = JSON.parse(String(body ?? '{}')) as Request
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        answered(request).then(resolve, reject)
      }),
    pass: (event) => {
      passed.add(event)
      for (const resolve of waiters.get(event) ?? []) resolve()
      waiters.delete(event)
    },
  }
}

/**
 * When the client had read an answer, where that was later than the answer: a slow page shows what an answer says, or
 * asks again, some time after its headers have come, and its user may have done something between.
 */
function readingsOf(events: readonly RecordedEvent[]): ReadonlyMap<RecordedEvent, RecordedEvent> {
  const taskOf = new Map<number, string>()
  const readings = new Map<RecordedEvent, RecordedEvent>()
  const callOf = callsOf(events)
  events.forEach((event, index) => {
    if (event.type === 'sent' && event.about !== undefined) taskOf.set(event.exchange, event.about)
    if (event.type !== 'answered') return
    const task = taskOf.get(event.exchange)
    const callId = callOf.get(task ?? '')
    if (callId === undefined) return
    const isNews = (later: RecordedEvent) =>
      later.type === 'shows' ? later.callId === callId : later.type === 'sent' && later.about === task
    const reading = events.slice(index).find(isNews)
    if (reading !== undefined) readings.set(event, reading)
  })
  return readings
}

/** The calls by their tasks. */
function callsOf(events: readonly RecordedEvent[]): ReadonlyMap<string, string> {
  const calls = new Map<string, string>()
  for (const event of events)
    if (event.type === 'shows' && event.state?.task !== undefined) calls.set(event.state.task, event.callId)
  return calls
}

function exchangesOf(events: readonly RecordedEvent[]): Exchange[] {
  const exchanges = new Map<number, Exchange>()
  const callers = callersOf(events)
  for (const event of events) {
    if (!('exchange' in event)) continue
    if (event.type === 'sent') {
      const isStream = event.method === 'subscriptions/listen'
      const about = isStream ? undefined : (callers.get(event.exchange) ?? event.about)
      exchanges.set(event.exchange, { of: [event.method, about].join(' ').trim(), messages: [] })
      continue
    }
    const exchange = exchanges.get(event.exchange)
    if (exchange === undefined) continue
    if (event.type === 'event') exchange.messages.push(event)
    else exchange.answer = event
  }
  return [...exchanges.values()]
}

/** Which call each `tools/call` was for: the one that shows its task, or the first of that tool that no task tells apart. */
function callersOf(events: readonly RecordedEvent[]): ReadonlyMap<number, string> {
  const byTask = callsOf(events)
  const taskOf = new Map<number, string>()
  const sent: { readonly exchange: number; readonly tool: string; readonly key: string }[] = []
  const calls: { readonly callId: string; readonly tool: string }[] = []
  for (const event of events) {
    if (event.type === 'call' && event.observation.type === 'call-sent') calls.push(event.observation)
    if (event.type === 'sent' && event.method === 'tools/call')
      sent.push({ exchange: event.exchange, tool: event.about ?? '', key: event.key ?? `${event.exchange}` })
    if (event.type !== 'answered' && event.type !== 'event') continue
    const { result } = Object(event.message) as { result?: { taskId?: string } }
    if (result?.taskId !== undefined) taskOf.set(event.exchange, result.taskId)
  }
  const byKey = new Map<string, string>()
  for (const { exchange, key } of sent) {
    const callId = byTask.get(taskOf.get(exchange) ?? '')
    if (callId !== undefined) byKey.set(key, callId)
  }
  for (const { key, tool } of sent) {
    if (byKey.has(key)) continue
    const taken = new Set(byKey.values())
    const caller = calls.find((call) => call.tool === tool && !taken.has(call.callId))
    if (caller !== undefined) byKey.set(key, caller.callId)
  }
  return new Map(sent.flatMap(({ exchange, key }) => [[exchange, byKey.get(key) ?? '']]))
}

/** As the recorder says what a request is about. */
function nameOf({ method, params }: Request): string {
  // Streams are opened one after the other.
  const caller: unknown = method === 'tools/call' ? Object(params?.['arguments'])['call'] : undefined
  return [method, params?.['taskId'] ?? caller].filter(Boolean).join(' ')
}

/** The recorded message as one that answers this request: the id, the token of its progress and the name of its stream are this one's. */
function forRequest(message: unknown, { id, params }: Request): Record<string, unknown> {
  const said = message as { method?: string; params?: Record<string, unknown> }
  if (said.method === undefined) return { jsonrpc: '2.0', id, ...said }
  const progressToken = Object(params?.['_meta'])['progressToken']
  const meta = { ...Object(said.params?.['_meta']), 'io.modelcontextprotocol/subscriptionId': id }
  return {
    jsonrpc: '2.0',
    ...said,
    params: { ...said.params, ...(said.method === 'notifications/progress' && { progressToken }), _meta: meta },
  }
}
