import { createTaskClient } from 'taskwire'
import { isLegacy } from './isLegacy.js'
import { isPushed } from './isPushed.js'
import { recordingFetch } from './wire/recordingFetch.js'

/** One client for the page, whoever uses it: React, or plain DOM. */
export const client = createTaskClient({
  url: isLegacy ? '/mcp-legacy' : '/mcp',
  clientInfo: { name: 'taskwire-demo-app', version: '1.0.0' },
  push: isPushed,
  transportOptions: { fetch: recordingFetch },
})
