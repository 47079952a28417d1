import { onAbort } from '../../core/time/abort.js'
import type { LinkStatus } from './link.js'
import { followNews, type StreamOptions } from './stream.js'

/** Lost attempts in a row, after which the news are known to be missing. */
const LOST = 2

export interface ReaderOptions extends Omit<StreamOptions, 'onLost' | 'onRefused'> {
  readonly onStatus: (status: LinkStatus) => void
}

/** The stream of the backend, in the tab that has it. */
export interface Reader {
  readonly isReading: boolean
  start(): void
  /** Opens the stream again, where it was: the old one may be dead. */
  restart(): void
  stop(): void
  /** Tries again where the backend has refused the stream. */
  retry(): void
}

export function createReader(options: ReaderOptions): Reader {
  let reading: AbortController | undefined
  const waiting = new Set<() => void>()

  function start(): void {
    if (reading !== undefined) return
    const own = new AbortController()
    reading = own
    const stream: StreamOptions = {
      ...options,
      onLost: (error, failures) => {
        if (failures >= LOST) options.onStatus({ isLive: false, error })
      },
      onRefused: async ({ status: refused, error }) => {
        options.onStatus({ isLive: false, refused, error })
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
          onAbort(own.signal, resolve)
        })
        waiting.clear()
      },
    }
    followNews(stream, own.signal).catch(() => {})
  }

  function stop(): void {
    reading?.abort()
    reading = undefined
  }

  return {
    get isReading() {
      return reading !== undefined
    },
    start,
    stop,
    restart: () => {
      if (reading === undefined) return
      stop()
      start()
    },
    retry: () => {
      for (const go of [...waiting]) go()
    },
  }
}
