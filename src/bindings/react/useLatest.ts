import { useCallback, useEffect, useRef } from 'react'

/** A function that returns the value of the last render that is on the page. It stays the same. */
export function useLatest<T>(value: T): () => T {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return useCallback(() => latest.current, [])
}
