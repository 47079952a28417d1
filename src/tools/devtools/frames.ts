/** Draws when something has changed, and now and then while something counts down. */
export interface Frames {
  /** Draws with the next frame, once, however often it is requested. */
  request(): void
  /** Draws nothing from now on, whatever requests it. */
  stop(): void
}

/** How often what counts down is drawn. */
const TICK_MS = 250

/** `draw` returns true while something counts down. */
export function createFrames(draw: () => boolean): Frames {
  let frame: number | undefined
  let tick: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  function request(): void {
    if (isStopped) return
    frame ??= requestAnimationFrame(() => {
      frame = undefined
      clearTimeout(tick)
      if (draw()) tick = setTimeout(request, TICK_MS)
    })
  }

  return {
    request,
    stop: () => {
      // What is still being read, such as the records, must not begin it again.
      isStopped = true
      if (frame !== undefined) cancelAnimationFrame(frame)
      frame = undefined
      clearTimeout(tick)
    },
  }
}
