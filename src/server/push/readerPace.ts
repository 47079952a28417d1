/** Of other notifications none can be left out. Where so many bytes of them wait, the stream is cut. */
const MAX_WAITING = 1024 * 1024

/** A reader that has not read for so many signs of life in a row, with as much waiting as may wait, has gone. */
const MAX_FULL_TICKS = 4

/** How the reader of a stream keeps up. `room` is in bytes, below zero where more waits than should. */
export interface ReaderPace {
  /** Notes that the reader has taken all that waited. */
  onCaughtUp(): void
  /** Counts a message that cannot be left out; true if more of those wait now than may. */
  isTooMuch(bytes: number, room: number): boolean
  /** To be called with every sign of life; true if the reader has gone. */
  hasGone(room: number): boolean
}

/** The pace of a reader that has not begun. */
export function createReaderPace(): ReaderPace {
  /** Bytes of other notifications since the reader has caught up. */
  let waiting = 0
  let fullTicks = 0
  let leastRoom = 0

  return {
    onCaughtUp() {
      waiting = 0
      // What comes now must not look as if nothing had been read.
      leastRoom = Number.NEGATIVE_INFINITY
    },
    isTooMuch(bytes, room) {
      waiting += bytes
      return room <= 0 && waiting > MAX_WAITING
    },
    hasGone(room) {
      const hasRead = room > leastRoom
      fullTicks = room > 0 || hasRead ? 0 : fullTicks + 1
      leastRoom = room
      return fullTicks >= MAX_FULL_TICKS
    },
  }
}
