import { createHash } from 'node:crypto'
import type { Channel, Environment, Locks, WebStorage } from '../../src/core/environment/environment.js'
import { createSmallLocks } from './smallLocks.js'

/** A page of the small world. Nothing reaches it but by a step that the explorer takes. */
export interface SmallPage {
  readonly name: string
  readonly environment: Environment
  isAlive: boolean
  isFrozen: boolean
  /**
   * Everything that ever reached the page, each with its time: steps, and what it read from storage. A page is a function
   * of it, so two worlds with equal histories, storage, messages and server cannot be told apart.
   */
  history: string
  /** Runs what comes from outside: a step. */
  enter(input: string, action: () => void): void
  /** Fires `pagehide`. */
  hide(): void
  /** What is left of it. */
  leftovers(): Readonly<Record<'timers' | 'listeners' | 'locks' | 'channels', number>>
}

/** What the browser can do next. */
export interface BrowserStep {
  readonly kind: 'deliver' | 'lose' | 'hold back' | 'lock' | 'time'
  readonly name: string
  readonly take: () => void
}

export interface SmallBrowser {
  /** What `Date.now()` says in the pages, ms since the epoch. */
  now(): number
  /** ms since the start, which nobody corrects. */
  elapsed(): number
  setClock(ms: number): void
  openPage(name: string): SmallPage
  /** The page is gone: its locks are free, its timers never run. */
  crash(page: SmallPage): void
  steps(): BrowserStep[]
  /** All that pages share, and that the steps depend on, but the pages themselves. */
  state(): unknown
  readonly storage: ReadonlyMap<string, string>
}

export interface SmallBrowserOptions {
  readonly fetch: (page: SmallPage, init: RequestInit) => Promise<Response>
  /** A page has written a record. */
  readonly onWritten: (key: string, value: string) => void
}

interface Timer {
  readonly at: number
  readonly run: () => void
}

interface Message {
  readonly channel: OpenChannel
  readonly data: unknown
}

interface OpenChannel {
  readonly name: string
  readonly page: SmallPage
  receive(data: unknown): void
}

/** Nothing that is explored waits for so long: a timer that is further away, in ms, never runs. */
const HORIZON_MS = 10 * 60_000
const STARTS_AT = Date.UTC(2026, 6, 28)

/** A browser of which every step is taken by hand: timers, lock grants and messages wait until then. */
export function createSmallBrowser({ fetch, onWritten }: SmallBrowserOptions): SmallBrowser {
  let elapsed = 0
  let correction = 0
  const pages: SmallPage[] = []
  const timers = new Map<SmallPage, Map<number, Timer>>()
  const channels = new Set<OpenChannel>()
  /** In the order in which they were posted; the pages take each their own. */
  const messages = new Map<SmallPage, Message[]>()
  /** Messages that arrive when nobody counts on them any more. */
  const heldBack = new Map<SmallPage, Message[]>()
  const items = new Map<string, string>()
  const locks = createSmallLocks()
  const now = () => STARTS_AT + elapsed + correction
  const isAwake = (page: SmallPage) => page.isAlive && !page.isFrozen

  function openPage(name: string): SmallPage {
    let ids = 0
    const own = new Map<number, Timer>()
    const listeners = { hide: new Set<() => void>(), others: new Set<() => void>() }
    const note = (text: string) => {
      page.history += `\n${text}`
    }
    const listen = (set: Set<() => void>) => (listener: () => void) => {
      const entry = () => listener()
      set.add(entry)
      return () => void set.delete(entry)
    }
    const read = <T>(what: string, value: T): T => {
      note(`reads ${what}: ${value}`)
      return value
    }
    const local: WebStorage = {
      get length() {
        return read('length', items.size)
      },
      key: (index) => read(`key ${index}`, [...items.keys()][index] ?? null),
      getItem: (key) => read(key, items.get(key) ?? null),
      setItem: (key, value) => {
        if (!page.isAlive) return
        items.set(key, value)
        onWritten(key, value)
      },
      removeItem: (key) => void (page.isAlive && items.delete(key)),
    }
    const environment: Environment = {
      now,
      setTimeout: (run, delayMs) => {
        const id = ++ids
        if (page.isAlive) own.set(id, { at: elapsed + Math.max(0, delayMs), run })
        return id
      },
      clearTimeout: (id) => void own.delete(id as number),
      random: () => 0.5,
      randomId: () => `id-${++ids}-of-${name}`,
      fetch: (_url, init = {}) => fetch(page, init),
      baseUrl: () => 'http://localhost/',
      isOnline: () => true,
      onOnlineChange: listen(listeners.others),
      isVisible: () => true,
      onVisibilityChange: listen(listeners.others),
      onPageHide: listen(listeners.hide),
      onPageShow: listen(listeners.others),
      storage: () => local,
      locks: lockApi(),
      channel: (channelName) => openChannel(page, channelName),
    }
    const page: SmallPage = {
      name,
      environment,
      isAlive: true,
      isFrozen: false,
      history: name,
      enter: (input, action) => {
        note(`${now()} ${input}`)
        action()
      },
      hide: () => {
        for (const listener of [...listeners.hide]) listener()
      },
      leftovers: () => ({
        timers: own.size,
        listeners: listeners.hide.size + listeners.others.size,
        locks: locks.countOf(page),
        channels: [...channels].filter((channel) => channel.page === page).length,
      }),
    }
    function lockApi(): Locks {
      return { request: (lockName, options, hold) => locks.request(page, lockName, options, hold) }
    }
    pages.push(page)
    timers.set(page, own)
    messages.set(page, [])
    heldBack.set(page, [])
    return page
  }

  function openChannel(page: SmallPage, name: string): Channel {
    const listeners = new Set<(data: unknown) => void>()
    const channel: OpenChannel = {
      name,
      page,
      receive: (data) => {
        for (const listener of [...listeners]) listener(data)
      },
    }
    channels.add(channel)
    return {
      postMessage: (data) => {
        if (!page.isAlive) return
        for (const other of channels)
          if (other !== channel && other.name === name && other.page.isAlive)
            messages.get(other.page)?.push({ channel: other, data: structuredClone(data) })
      },
      onMessage: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      close: () => void channels.delete(channel),
    }
  }

  function messageSteps(page: SmallPage): BrowserStep[] {
    const steps: BrowserStep[] = []
    const deliver = (queue: Message[], name: string): BrowserStep => ({
      kind: 'deliver',
      name: `${name} ${page.name}`,
      take: () => {
        const message = queue.shift()
        if (message === undefined) return
        page.enter(`message ${JSON.stringify(message.data)}`, () => {
          if (channels.has(message.channel)) message.channel.receive(message.data)
        })
      },
    })
    const queue = messages.get(page) ?? []
    if (queue.length > 0) {
      steps.push(deliver(queue, 'deliver to'))
      steps.push({ kind: 'lose', name: `lose message to ${page.name}`, take: () => void queue.shift() })
      const holdBack = () => heldBack.get(page)?.push(...queue.splice(0, 1))
      steps.push({ kind: 'hold back', name: `hold back message to ${page.name}`, take: () => void holdBack() })
    }
    const late = heldBack.get(page) ?? []
    if (late.length > 0) steps.push(deliver(late, 'deliver late to'))
    return steps
  }

  /** The timers that are due first, one a page: of timers that are due together, any page may be the first. */
  function timeSteps(isPrompt: boolean): BrowserStep[] {
    const due = pages.filter(isAwake).flatMap((page) => {
      const next = [...(timers.get(page) ?? [])].reduce<[number, Timer] | undefined>(
        (first, timer) => (first === undefined || timer[1].at < first[1].at ? timer : first),
        undefined,
      )
      return next === undefined ? [] : [{ page, id: next[0], timer: next[1], at: Math.max(elapsed, next[1].at) }]
    })
    const first = Math.min(...due.map(({ at }) => at))
    return due
      .filter(({ at }) => at === first && (at === elapsed || (!isPrompt && at <= elapsed + HORIZON_MS)))
      .map(({ page, id, timer, at }) => ({
        kind: 'time',
        name: `time ${page.name}`,
        take: () => {
          elapsed = at
          timers.get(page)?.delete(id)
          page.enter('timer', timer.run)
        },
      }))
  }

  return {
    now,
    elapsed: () => elapsed,
    setClock: (ms) => {
      correction += ms
    },
    openPage,
    crash: (page) => {
      page.isAlive = false
      timers.get(page)?.clear()
      messages.set(page, [])
      heldBack.set(page, [])
      for (const channel of [...channels]) if (channel.page === page) channels.delete(channel)
      locks.release(page)
    },
    steps: () => {
      const awake = pages.filter(isAwake)
      const prompt = [
        ...awake.flatMap(messageSteps),
        ...awake.flatMap((page) => {
          const grant = locks.next(page)
          const name = `lock for ${page.name}`
          const take = () => grant && page.enter(grant.name, grant.take)
          return grant === undefined ? [] : [{ kind: 'lock' as const, name, take }]
        }),
      ]
      // Messages and grants take less than the least wait of a tab; those that are held back take longer.
      const isPrompt = prompt.some(({ name }) => !name.startsWith('deliver late'))
      return [...prompt, ...timeSteps(isPrompt)]
    },
    state: () => [
      elapsed,
      correction,
      pages.map((page) => [page.isAlive, page.isFrozen, digest(page.history)]),
      pages.map((page) => [...(messages.get(page) ?? []), ...(heldBack.get(page) ?? [])].map(({ data }) => data)),
      pages.map((page) => heldBack.get(page)?.length),
      [...items],
      locks.state(),
    ],
    storage: items,
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64')
}
