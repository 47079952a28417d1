import { afterAll } from 'vitest'
import { openSocketsFromNowOn } from '../support/bridgedBackend.js'

// What holds of a page and its backend, with a WebSocket in place of server-sent events.
openSocketsFromNowOn()
afterAll(() => openSocketsFromNowOn(false))
await import('./network.test.js')
await import('./page.test.js')
await import('./signedInSince.test.js')
await import('./tabs.test.js')
await import('./users.test.js')
