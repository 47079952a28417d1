import { vi } from 'vitest'

/** The animation frames of a page, which a test draws. */
export interface SimulatedFrames {
  /** How many are to be drawn. */
  readonly waiting: () => number
  /** Draws what is to be drawn. Returns how often that was. */
  readonly draw: () => number
}

/** Takes the place of the page's own frames, until `vi.unstubAllGlobals()`. */
export function simulateFrames(): SimulatedFrames {
  let frames: (() => void)[] = []
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => frames.push(draw))
  vi.stubGlobal('cancelAnimationFrame', () => {
    frames = []
  })
  return {
    waiting: () => frames.length,
    draw: () => {
      const due = frames
      frames = []
      for (const draw of due) draw()
      return due.length
    },
  }
}
