import { createTaskClient } from 'taskwire'
import { isPushed } from './isPushed.js'
import { recordingFetch } from './wire/recordingFetch.js'

/** One client for the page, whoever uses it: React, or plain DOM. */
export const client = createTaskClient({
  url: '/mcp',
  clientInfo: { name: 'taskwire-demo-app', version: '1.0.0' },
  push: isPushed,
  transportOptions: { fetch: recordingFetch },
})
