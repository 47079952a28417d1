/** A part of a client that is made when it is used first. */
export interface WhenUsed<Part> {
  /** Makes it, where that has not happened. After `close()` it is closed from the start. */
  readonly get: () => Part
  readonly made: () => Part | undefined
  readonly close: () => unknown
}

export function whenUsed<Part>(make: () => Part, close: (part: Part) => unknown): WhenUsed<Part> {
  let part: Part | undefined
  let isClosed = false
  return {
    get: () => {
      if (part === undefined) {
        part = make()
        if (isClosed) void close(part)
      }
      return part
    },
    made: () => part,
    close: () => {
      isClosed = true
      return part && close(part)
    },
  }
}
