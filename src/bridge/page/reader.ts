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
  /** Opens the stream again where it was: the old one may be dead, or refused. */
  restart(): void
  stop(): void
}

export function createReader(options: ReaderOptions): Reader {
  let reading: AbortController | undefined

  function start(): void {
    if (reading !== undefined) return
    const own = new AbortController()
    reading = own
    const stream: StreamOptions = {
      ...options,
      onLost: (error, failures) => {
        if (failures >= LOST) options.onStatus({ isLive: false, error })
      },
      onRefused: ({ status: refused, error }) => options.onStatus({ isLive: false, refused, error }),
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
  }
}
