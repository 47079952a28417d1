import type { Environment } from '../../core/environment/environment.js'
import { repeat } from '../../server/base/repeat.js'
import { createReaderPace } from '../../server/push/readerPace.js'
import type { Feed, NewsText } from './feed.js'

export interface NewsWriterOptions {
  readonly environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>
  /** The number that the reader has come to; undefined for everything. */
  readonly from: number | undefined
  readonly heartbeatMs: number
  /** True if the reader may still have the news. */
  readonly isWelcome: () => Promise<boolean>
  /** Called once, when the stream is over for whatever reason. */
  readonly onEnd: () => void
}

/** The connection that brings news to one reader. One that throws has ended: its end may come without notice. */
export interface NewsSink {
  /** How much more may wait for the reader, in bytes; 0 or less if too much waits. */
  room(): number
  send(news: NewsText): void
  /** Ends the connection. The reader opens another one. */
  close(): void
  /** Ends the connection of a reader that does not read, with what waits for it. */
  cut(): void
}

/** The news of a feed on their way to one reader. */
export interface NewsWriter {
  /** Notes that the reader has taken something. `isAll`: nothing waits. */
  onTaken(isAll: boolean): void
  /** Notes that the reader has gone. */
  release(): void
  /** Ends it from here. */
  close(): void
}

/** How often it is looked up whether the reader is still signed in, in ms; not more often than there are heartbeats. */
const CHECK_MS = 60_000

/**
 * Writes the news of a feed. While more waits than a slow reader should have waiting, nothing is added: when it reads, it
 * gets the newest state of what has changed meanwhile. One that does not read at all is cut off.
 */
export function createNewsWriter(feed: Feed, sink: NewsSink, options: NewsWriterOptions): NewsWriter {
  const { environment, heartbeatMs, isWelcome, onEnd } = options
  const ticksToCheck = Math.ceil(CHECK_MS / heartbeatMs)
  const pace = createReaderPace()
  let reached = options.from
  let isBegun = false
  let ticks = 0
  let isOver = false
  let stopListening = () => {}
  let stopHeartbeat = () => {}

  function write(): void {
    const news = feed.newsSince(reached)
    reached = news.seq
    isBegun = true
    attempt(() => sink.send(news))
  }

  function attempt(act: () => void): void {
    try {
      act()
    } catch {
      release()
    }
  }

  function flush(): void {
    if (!isOver && sink.room() > 0 && (!isBegun || reached !== feed.position.seq)) write()
  }

  function tick(): void {
    if (pace.hasGone(sink.room())) {
      // A page that wakes up resumes with the number it has come to.
      attempt(sink.cut)
      return release()
    }
    if (sink.room() > 0) write()
    ticks += 1
    if (ticks % ticksToCheck === 0) void check()
  }

  /** The reader may have signed out since. One that signs in again opens another stream. */
  async function check(): Promise<void> {
    if (!(await isWelcome())) close()
  }

  function release(): void {
    if (isOver) return
    isOver = true
    stopHeartbeat()
    stopListening()
    onEnd()
  }

  function close(): void {
    if (isOver) return
    attempt(sink.close)
    release()
  }

  if (feed.isOver) close()
  else {
    stopListening = feed.listen(flush, close)
    // A host that sleeps has no timers, and answers the pings of its pages.
    if (Number.isFinite(heartbeatMs)) stopHeartbeat = repeat(environment, heartbeatMs, tick)
    flush()
  }

  return {
    onTaken: (isAll) => {
      if (isAll) pace.onCaughtUp()
      flush()
    },
    release,
    close,
  }
}
