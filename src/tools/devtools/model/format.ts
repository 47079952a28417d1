/** A duration in ms, as short as it can be read: `12 ms`, `1.50 s`, `2 min 5 s`, `3 h 20 min`. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms))
  if (whole < 1000) return `${whole} ms`
  const seconds = whole / 1000
  if (seconds < 60) return `${seconds.toFixed(2)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The same for what counts down or up: it changes no more often than it is drawn, and its width hardly at all. */
export function ticking(ms: number): string {
  return ms < 60_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : duration(ms)
}

/** The time of day, with milliseconds where polls are told apart by them. */
export function timeOfDay(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** A size in bytes. */
export function bytes(size: number): string {
  return size < 1000 ? `${size} B` : `${(size / 1000).toFixed(1)} kB`
}

/** A text on one line that fits a row. */
export function oneLine(text: string, length = 200): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}
