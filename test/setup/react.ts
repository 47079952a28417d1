import { notifyManager } from '@tanstack/react-query'
import { cleanup } from '@testing-library/react'
import { afterAll, afterEach, expect, vi } from 'vitest'

// React warns about state that changes outside of act() only where it is told that this is a test.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

// TanStack Query notifies its observers by a timer of its own; here nothing waits for real time.
notifyManager.setScheduler(queueMicrotask)

afterEach(cleanup)

// Files share their worker and its page: each leaves that to the next one as it has found it.
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  const left = { page: document.body.innerHTML, local: { ...localStorage }, session: { ...sessionStorage } }
  expect(left, 'what this file leaves to the next one in its worker').toEqual({ page: '', local: {}, session: {} })
})
