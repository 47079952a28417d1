import { createElection } from '../core/tabs/election.js'
import { locksWithFallback } from '../core/tabs/fallbackLocks.js'
import type { Channel, Unsubscribe } from '../environment/environment.js'
import { TaskError } from '../protocol/errors.js'
import { isJsonObject } from '../protocol/json.js'
import { createReader, type ReaderOptions } from './reader.js'
import { SILENCE_MS } from './stream.js'
import { type News, readNews, WIRE_VERSION } from './wire/messages.js'

/** How the stream of the backend fares. */
export interface LinkStatus {
  /** True while the news come. */
  readonly isLive: boolean
  /** The status with which the backend refuses the stream. */
  readonly refused?: number
  /** Why there are no news. */
  readonly error?: Error
}

export interface LinkOptions extends ReaderOptions {
  /** Names the channel and the lock of the tabs that see the same calls. */
  readonly name: string
  readonly crossTab: boolean
  /** What is known, for a tab that was opened later. */
  readonly snapshot: () => News | undefined
  /** Called where the browser refuses its locks. */
  readonly onError: (error: unknown) => void
}

/** What the tabs of a browser hear from their backend: one of them has the stream, and passes on what it brings. */
export interface Link {
  /** Begins to listen. Doing so again does no harm. */
  open(): void
  /** Tries again where the backend has refused the stream. */
  retry(): void
  close(): void
}

export function createLink(options: LinkOptions): Link {
  const { environment, onStatus } = options
  let status: LinkStatus = { isLive: false }
  let subscriptions: Unsubscribe[] = []

  function set(next: LinkStatus): void {
    status = next
    onStatus(next)
  }

  const reader = createReader({
    ...options,
    onNews: (news) => {
      const isWhole = options.onNews(news)
      tabs?.post({ type: 'news', news })
      if (!status.isLive) tell({ isLive: true })
      return isWhole
    },
    onStatus: tell,
  })
  const tabs = createTabsOfLink({
    ...options,
    reader,
    status: () => status,
    onStatus: (next) => {
      if (!next.isLive || !status.isLive) set(next)
    },
  })

  /** In the tab that has the stream: tells the others, too. */
  function tell(next: LinkStatus): void {
    set(next)
    tabs?.postStatus()
  }

  function appear(): void {
    if (tabs === undefined) reader.start()
    else tabs.appear()
  }

  function disappear(): void {
    tabs?.disappear()
    reader.stop()
  }

  function onOnlineChange(): void {
    if (environment.isOnline()) reader.retry()
    else set({ isLive: false, error: new TaskError('The browser is offline.') })
    // What still comes through the stream of before would look as if there were a network.
    reader.restart()
  }

  function retry(): void {
    if (status.refused === undefined) return
    reader.retry()
    if (!reader.isReading) tabs?.post({ type: 'retry' })
  }

  return {
    open: () => {
      if (subscriptions.length > 0) return
      appear()
      subscriptions = [
        tabs?.join() ?? (() => {}),
        environment.onPageHide(disappear),
        environment.onPageShow(() => {
          disappear()
          appear()
        }),
        environment.onOnlineChange(onOnlineChange),
        environment.onVisibilityChange(() => environment.isVisible() && retry()),
      ]
    },
    retry,
    close: () => {
      for (const unsubscribe of subscriptions) unsubscribe()
      subscriptions = []
      disappear()
    },
  }
}

interface TabsOfLinkOptions extends LinkOptions {
  readonly reader: ReturnType<typeof createReader>
  readonly status: () => LinkStatus
}

/** The tabs between which one stream is shared, by the election that tabs have; undefined where each is alone. */
function createTabsOfLink({ environment, name, reader, status, onNews, onStatus, ...options }: TabsOfLinkOptions) {
  const { locks, channel: openChannel } = environment
  if (!options.crossTab || locks === undefined || openChannel === undefined) return undefined
  let channel: Channel | undefined
  let silence: unknown

  const election = createElection({
    name: `${name}:leader`,
    locks: locksWithFallback(locks, options.onError),
    environment,
    isHere: () => channel !== undefined,
    onChange: (own) => (own.isLeader() ? reader.start() : reader.stop()),
    onEmpty: () => {},
  })

  const post = (message: object) => channel?.postMessage({ ...message, v: WIRE_VERSION })

  function postStatus(): void {
    const { isLive, refused, error } = status()
    post({ type: 'status', isLive, refused, error: error instanceof TaskError ? error.toJSON() : undefined })
  }

  /** A tab that has the stream and says nothing is frozen: another one takes its place. */
  function watchLeader(): void {
    environment.clearTimeout(silence)
    silence = environment.setTimeout(() => election.steal(), SILENCE_MS)
  }

  function receive(message: unknown): void {
    if (!isJsonObject(message) || message['v'] !== WIRE_VERSION) return
    const { type, isLive, refused, error } = message
    if (reader.isReading) {
      if (type === 'retry') reader.retry()
      if (type !== 'ask') return
      const known = options.snapshot()
      if (known !== undefined) post({ type: 'news', news: known })
      return postStatus()
    }
    watchLeader()
    if (type === 'status') {
      onStatus({
        isLive: isLive === true,
        ...(typeof refused === 'number' && { refused }),
        ...(isJsonObject(error) && { error: TaskError.fromJSON(error) }),
      })
    }
    const news = type === 'news' ? readNews(message['news']) : undefined
    if (news === undefined) return
    if (onNews(news)) onStatus({ isLive: true })
    else post({ type: 'ask' })
  }

  return {
    post,
    postStatus,
    join: election.join,
    appear: () => {
      channel = openChannel(name)
      channel.onMessage(receive)
      post({ type: 'ask' })
      watchLeader()
      election.comeBack()
    },
    disappear: () => {
      environment.clearTimeout(silence)
      election.leavePage()
      channel?.close()
      channel = undefined
    },
  }
}
