import type { PollLane } from './pollLanes.js'

/** The part of time that the plot shows, ms since the epoch. */
export interface TimeAxis {
  readonly from: number
  readonly to: number
  /** Moments to label. */
  readonly ticks: readonly number[]
}

const SHORTEST_MS = 15_000
const LONGEST_MS = 75_000
/** Room on the right, so that the next poll can be seen coming. */
const AHEAD_MS = 1_500
const STEPS_MS = [2_000, 5_000, 10_000, 15_000, 30_000]

/** Follows the time while something runs, and stands still where nothing does. */
export function timeAxis(lanes: readonly PollLane[], now: number): TimeAxis {
  const ends = lanes.map(({ endedAt }) => endedAt ?? now)
  const last = Math.max(...ends) + AHEAD_MS
  const first = Math.min(...lanes.map(({ startsAt }) => startsAt))
  const from = Math.max(first - 500, last - LONGEST_MS)
  const to = Math.max(last, from + SHORTEST_MS)
  const step = STEPS_MS.find((ms) => (to - from) / ms <= 8) ?? 30_000
  // Not so near to an edge that it would cut the label.
  const margin = (to - from) * 0.08
  const ticks: number[] = []
  for (let tick = Math.ceil((from + margin) / step) * step; tick <= to - margin; tick += step) ticks.push(tick)
  return { from, to, ticks }
}

/** Where a moment stands on the axis, as an SVG length. */
export function position({ from, to }: TimeAxis, moment: number): string {
  return `${(((moment - from) / (to - from)) * 100).toFixed(3)}%`
}
