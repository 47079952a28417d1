import type { Channel, Unsubscribe } from '../../core/environment/environment.js'
import { errorFromJson } from '../../core/protocol/errorJson.js'
import { TaskError } from '../../core/protocol/errors.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { createElection } from '../../core/tabs/election.js'
import { locksWithFallback } from '../../core/tabs/fallbackLocks.js'
import { type News, readNews, WIRE_VERSION } from '../wire/messages.js'
import { SILENCE_MS } from './carrier.js'
import { UNAUTHORIZED } from './connectionOf.js'
import { createReader, type ReaderOptions } from './reader.js'

/** The state of the stream from the backend. */
export interface LinkStatus {
  /** True while the stream delivers. */
  readonly isLive: boolean
  /** The status with which the backend refuses the stream. */
  readonly refused?: number
  /** The reason that the stream delivers nothing. */
  readonly error?: Error
}

export interface LinkOptions extends Omit<ReaderOptions, 'onAlive'> {
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
  /** Opens the stream again. The user may have signed out since, or another one signed in. */
  renew(): void
  /** The same where the backend has refused the stream. */
  retry(): void
  close(): void
}

export function createLink(options: LinkOptions): Link {
  const { environment, onStatus } = options
  let status: LinkStatus = { isLive: false }
  let subscriptions: Unsubscribe[] = []
  /** True until something is heard of the stream that is being opened again. */
  let isRenewing = false
  let isAway = true

  function set(next: LinkStatus): void {
    isRenewing = false
    status = next
    onStatus(next)
  }

  const reader = createReader({
    ...options,
    onAlive: () => tabs?.postStatus(),
    onNews: (news) => {
      isRenewing = false
      const isWhole = options.onNews(news)
      if (isWhole) tabs?.pass(news)
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
      isRenewing = false
      if (!next.isLive || !status.isLive) set(next)
    },
  })

  /** In the tab that has the stream: tells the others, too. */
  function tell(next: LinkStatus): void {
    set(next)
    tabs?.postStatus()
  }

  function appear(): void {
    isAway = false
    if (tabs === undefined) reader.start()
    else tabs.appear()
  }

  function disappear(): void {
    isAway = true
    tabs?.disappear()
    reader.stop()
  }

  function onOnlineChange(): void {
    if (!environment.isOnline()) set({ isLive: false, error: new TaskError('The browser is offline.') })
    // What still comes through the stream of before would look as if there were a network.
    reader.restart()
  }

  function renew(): void {
    if (isRenewing) return
    isRenewing = true
    if (tabs === undefined) reader.restart()
    else tabs.renew()
  }

  function retry(): void {
    if (status.refused !== undefined) renew()
  }

  return {
    open: () => {
      if (subscriptions.length > 0) return
      appear()
      subscriptions = [
        tabs?.join() ?? (() => {}),
        environment.onPageHide(disappear),
        // Browsers tell of one return twice: as `resume` and as `pageshow`.
        environment.onPageShow(() => isAway && appear()),
        environment.onOnlineChange(onOnlineChange),
        environment.onVisibilityChange(() => environment.isVisible() && retry()),
      ]
    },
    renew,
    retry,
    close: () => {
      for (const unsubscribe of subscriptions) unsubscribe()
      subscriptions = []
      disappear()
    },
  }
}

/** The state of the stream, as the tab tells that has it. */
function toldStatus({ isLive, refused, error }: JsonObject): LinkStatus {
  return {
    isLive: isLive === true,
    ...(typeof refused === 'number' && { refused }),
    ...(isJsonObject(error) && { error: errorFromJson(error) }),
  }
}

interface TabsOfLinkOptions extends LinkOptions {
  readonly reader: ReturnType<typeof createReader>
  readonly status: () => LinkStatus
}

/**
 * The tabs between which one stream is shared, by the election that tabs have; undefined where each is alone. The stream is of who was
 * signed in when it was opened, so it is opened again for each page that is loaded:
 *
 * ```text
 * tab A  reads as Ada ────────────────────────── opens its stream again: as Eve
 * tab B           signs in as Eve ▪ loaded ─ asks ─────────────────── takes its news
 * ```
 */
function createTabsOfLink({ environment, name, reader, status, onNews, onStatus, ...options }: TabsOfLinkOptions) {
  const { locks, channel: openChannel } = environment
  if (!options.crossTab || locks === undefined || openChannel === undefined) return undefined
  let channel: Channel | undefined
  let silence: unknown
  /**
   * When the stream was opened whose news this tab takes, at the earliest, ms since the epoch: its own time while it reads, and never
   * before it appeared.
   */
  let readSince = 0
  /** True once news have come through the stream of this tab: until then, what it knows may be of long ago. */
  let hasRead = false
  /** True if another tab waits for everything that is known. */
  let isAsked = false

  const election = createElection({
    name: `${name}:leader`,
    locks: locksWithFallback(locks, options.onError),
    environment,
    isHere: () => channel !== undefined,
    onChange: (own) => {
      if (own.isLeader()) return read()
      reader.stop()
      // As long as this tab read the stream, it ignored the other tabs, and its timer for a silent tab was off.
      post({ type: 'ask' })
      watchLeader()
    },
    onEmpty: () => {},
  })

  const post = (message: object) => channel?.postMessage({ ...message, readSince, v: WIRE_VERSION })

  /** Opens the stream, also where it is open. */
  function read(): void {
    readSince = Math.max(environment.now(), readSince + 1)
    hasRead = false
    reader.stop()
    reader.start()
  }

  /** Has the tab that reads open its stream again. It tells the outcome, unless it is frozen. */
  function askAnew(): void {
    readSince = environment.now()
    post({ type: 'ask', isAnew: true })
    watchLeader(false)
  }

  function postStatus(): void {
    const { isLive, refused, error } = status()
    post({ type: 'status', isLive, refused, error: error instanceof TaskError ? error.toJSON() : undefined })
  }

  function tellAll(): void {
    isAsked = false
    post({ type: 'news', news: options.snapshot() })
  }

  /** Passes on what the stream has brought. */
  function pass(news: News): void {
    hasRead = true
    if (isAsked) tellAll()
    else post({ type: 'news', news })
  }

  /** A tab that has the stream and says nothing is frozen: another one takes its place. While nobody is signed in there is nothing to say. */
  function watchLeader(isSignedOut = status().refused === UNAUTHORIZED): void {
    environment.clearTimeout(silence)
    if (isSignedOut) return
    silence = environment.setTimeout(() => election.steal(), SILENCE_MS)
  }

  /**
   * A tab that was frozen while another one took its place passes on what it still reads: that is older than what is known.
   *
   * ```text
   * tab A  reads ─ frozen ······························ wakes: passes on what has waited ─ its lock is gone
   * tab B              silence: steals ─ reads, from a backend that was started again
   * ```
   */
  function isOvertaken(since: number): boolean {
    // A time that has not come yet is of a clock that was set back since.
    return reader.isReading ? since <= readSince : since < readSince && readSince <= environment.now()
  }

  function receive(message: unknown): void {
    if (!isJsonObject(message) || message['v'] !== WIRE_VERSION) return
    const { type, isAnew, readSince: since } = message
    if (type === 'ask') {
      if (!reader.isReading) return
      isAsked = true
      // The tab that asks takes no news of an earlier stream, and may have another clock.
      if (typeof since === 'number') readSince = Math.max(readSince, since)
      if (isAnew === true) return read()
      if (!hasRead) return status().refused === undefined ? undefined : postStatus()
      tellAll()
      return postStatus()
    }
    if (typeof since !== 'number' || isOvertaken(since)) return
    if (!reader.isReading) readSince = since
    if (type === 'status') onStatus(toldStatus(message))
    watchLeader()
    const news = type === 'news' ? readNews(message['news']) : undefined
    if (news === undefined) return
    if (onNews(news)) onStatus({ isLive: true })
    else post({ type: 'ask' })
  }

  return {
    pass,
    postStatus,
    renew: () => (reader.isReading ? read() : askAnew()),
    join: election.join,
    appear: () => {
      channel = openChannel(name)
      channel.onMessage(receive)
      askAnew()
      election.comeBack()
    },
    disappear: () => {
      election.leavePage()
      channel?.close()
      channel = undefined
      environment.clearTimeout(silence)
    },
  }
}
