import { useEffect, useState } from 'react'

/** The time, ms since the epoch, rendered again at this pace while it is enabled. */
export function useNow(everyMs: number, isEnabled: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isEnabled) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, isEnabled])
  return now
}
