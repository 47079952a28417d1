import { createTaskClient, type TaskClient } from 'taskwire'
import { createTaskClient as createLiteClient } from 'taskwire/lite'
import { isLegacy } from './isLegacy.js'
import { isLite } from './isLite.js'
import { isPushed } from './isPushed.js'
import { recordingFetch } from './wire/recordingFetch.js'

const options = {
  url: isLegacy ? '/mcp-legacy' : '/mcp',
  clientInfo: { name: 'taskwire-demo-app', version: '1.0.0' },
  push: isPushed,
}

/** One client for the page, whoever uses it: React, or plain DOM. An app has one of the two. */
export const client: TaskClient = isLite
  ? createLiteClient({ ...options, fetch: recordingFetch })
  : createTaskClient({ ...options, transportOptions: { fetch: recordingFetch } })
