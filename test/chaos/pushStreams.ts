import type { ChaosServer, RpcRequest, ServerTask } from './chaosServer.js'
import type { Tally } from './faults.js'

/** What is wrong with a stream. */
export type PushTrouble =
  | { readonly kind: 'push that lies'; readonly variant: number }
  | { readonly kind: 'push ended at once'; readonly variant: number }
  | { readonly kind: 'push not honoured' }

/** The answers to `subscriptions/listen` that are open. */
export interface PushStreams<Sender> {
  /** The response to the request, whose body goes on for as long as one of its tasks is at work. */
  open(sender: Sender, request: RpcRequest, signal: AbortSignal | null | undefined, trouble?: PushTrouble): Response
  /** Breaks those of a page, or all. Returns how many there were. */
  cut(sender?: Sender): number
  /** A task has changed otherwise than by time. */
  changed(): void
  /** Whose streams are open. */
  senders(): Sender[]
}

export interface PushStreamsOptions<Sender> {
  readonly server: () => ChaosServer
  readonly now: () => number
  readonly later: (callback: () => void, delayMs: number) => void
  readonly isAsleep: (sender: Sender) => boolean
  readonly isGone: (sender: Sender) => boolean
  /** Called with what a stream has told a page. `isNew`: it is how the task is now. */
  readonly onPushed: (sender: Sender, snapshot: Readonly<Record<string, unknown>>, isNew: boolean) => void
  readonly tally: Tally
  readonly log: (text: string) => void
}

interface OpenStream<Sender> {
  readonly sender: Sender
  tick(): void
  fail(): void
}

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
/** How far behind a stream is that says what is out of date, in ms. */
const STALE_MS = 4000
/** How often the other side looks whether a page that sleeps reads again, in ms. */
const PATIENCE_MS = 1000

/** The forms that lies have. */
const LIES = [
  'silent',
  'stale',
  'other task',
  'malformed',
  'again',
  'end withheld',
  'early',
  'acknowledged twice',
] as const

export function createPushStreams<Sender>(options: PushStreamsOptions<Sender>): PushStreams<Sender> {
  const { now, later, tally, log } = options
  const open = new Set<OpenStream<Sender>>()

  function openStream(
    sender: Sender,
    { id, params = {} }: RpcRequest,
    signal: AbortSignal | null | undefined,
    trouble: PushTrouble | undefined,
  ): Response {
    const server = options.server()
    const asked = (params['notifications'] as { taskIds?: readonly string[] } | undefined)?.taskIds ?? []
    const tasks = asked.flatMap((taskId) => {
      const task = server.tasks.get(taskId)
      return task === undefined || server.isExpired(task) ? [] : [task]
    })
    const lie = trouble?.kind === 'push that lies' ? LIES[trouble.variant % LIES.length] : undefined
    const staleBy = lie === 'stale' ? STALE_MS : 0
    const said = new Map<ServerTask, string>()
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    let dueAt = Number.POSITIVE_INFINITY
    let isBroken = false

    const send = (message: object) => {
      controller?.enqueue(new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`))
    }
    const notify = (method: string, about: object) =>
      send({ jsonrpc: '2.0', method, params: { ...about, _meta: { [SUBSCRIPTION_ID]: id } } })
    const acknowledge = (taskIds: readonly string[]) =>
      notify('notifications/subscriptions/acknowledged', { notifications: { taskIds } })
    const push = (snapshot: Record<string, unknown>) => {
      tally.add('notifications of tasks pushed')
      notify('notifications/tasks', snapshot)
      // One that ended before the stream was open hears nothing.
      if (controller !== undefined && !options.isGone(sender)) options.onPushed(sender, snapshot, lie === undefined)
    }

    const stream: OpenStream<Sender> = {
      sender,
      tick: () => {
        if (controller === undefined || isBroken) return
        if (options.isGone(sender)) return leave()
        if (options.isAsleep(sender)) return tickIn(PATIENCE_MS)
        // Of a task that it has dropped a server says nothing.
        for (const task of tasks) if (!server.isExpired(task)) say(task)
        const isAtWork = ([task, text]: [ServerTask, string]) =>
          !server.isExpired(task) && (server.changesAt(task) !== undefined || isBehind(text))
        const left = [...said].filter(isAtWork)
        if (left.length === 0 && lie !== 'silent' && lie !== 'end withheld') return end()
        tickIn(Math.min(60_000, ...tasks.flatMap((task) => waitOf(task, said.get(task)))))
      },
      fail: () => {
        isBroken = true
        // A page that sleeps runs nothing, and learns it when it wakes.
        if (controller !== undefined && options.isAsleep(sender)) return later(stream.fail, PATIENCE_MS)
        controller?.error(new TypeError('network error'))
        leave()
      },
    }

    /** Whether a stream that is behind has yet to say that a task has ended. */
    const isBehind = (text: string) => staleBy > 0 && /"status":"(?:working|input_required)"/.test(text)

    function waitOf(task: ServerTask, text: string | undefined): number[] {
      const at = server.changesAt(task)
      if (at !== undefined) return [Math.max(1, at - now())]
      return text !== undefined && isBehind(text) ? [PATIENCE_MS] : []
    }

    function say(task: ServerTask): void {
      const snapshot = server.notification(task, staleBy)
      const text = JSON.stringify(snapshot)
      const before = said.get(task)
      said.set(task, text)
      if (lie === 'silent' || before === text) return
      if (lie === 'end withheld' && server.truth(task) !== undefined) return
      if (lie === 'other task') push({ ...snapshot, taskId: 'task-9999', status: 'completed', result: { content: [] } })
      if (lie === 'malformed') push({ ...snapshot, status: 'thinking' })
      push(snapshot)
      if (lie === 'again') for (const again of [text, before ?? text]) push(JSON.parse(again))
    }

    function tickIn(ms: number): void {
      const at = now() + ms
      dueAt = at
      later(() => {
        if (dueAt === at) stream.tick()
      }, ms)
    }

    function leave(): void {
      controller = undefined
      open.delete(stream)
      signal?.removeEventListener('abort', stream.fail)
    }

    /** With the response to the request, or as connections end. */
    function end(isOrderly = true): void {
      if (isOrderly) send({ jsonrpc: '2.0', id, result: { resultType: 'complete' } })
      controller?.close()
      leave()
    }

    const body = new ReadableStream<Uint8Array>({
      start: (own) => {
        controller = own
      },
      cancel: leave,
    })
    tally.add('streams of notifications opened')
    signal?.addEventListener('abort', stream.fail, { once: true })
    open.add(stream)
    const known = tasks.map(({ taskId }) => taskId)
    if (trouble?.kind === 'push ended at once') {
      const { variant } = trouble
      if (variant % 3 > 0) acknowledge(known)
      if (variant % 3 > 1) for (const task of tasks) say(task)
      end(variant % 2 === 0)
    } else {
      if (lie === 'early') for (const task of tasks) push(server.notification(task))
      acknowledge(trouble?.kind === 'push not honoured' ? [] : known)
      if (lie === 'acknowledged twice') acknowledge([...known, 'task-9999'])
      if (trouble?.kind !== 'push not honoured') stream.tick()
    }
    if (lie !== undefined) log(`  the stream lies: ${lie}`)
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  return {
    open: openStream,
    cut: (sender) => {
      const cut = [...open].filter((stream) => sender === undefined || stream.sender === sender)
      for (const stream of cut) stream.fail()
      return cut.length
    },
    changed: () => {
      for (const stream of [...open]) later(stream.tick, 20)
    },
    senders: () => [...open].map(({ sender }) => sender),
  }
}
