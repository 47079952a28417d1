import { notifyManager } from '@tanstack/react-query'
import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

// React warns about state that changes outside of act() only where it is told that this is a test.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

// TanStack Query notifies its observers by a timer of its own; here nothing waits for real time.
notifyManager.setScheduler(queueMicrotask)

afterEach(cleanup)
