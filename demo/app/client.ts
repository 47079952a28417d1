import { createTaskClient, type TaskClient } from 'taskwire'
import { createTaskClient as createLiteClient } from 'taskwire/lite'
import { faults } from './devtools.js'
import { isLegacy, isLite, isPushed } from './switches.js'

const options = {
  url: `${import.meta.env.BASE_URL}${isLegacy ? 'mcp-legacy' : 'mcp'}`,
  clientInfo: { name: 'northlight-studio', version: '1.0.0' },
  push: isPushed,
  ...(faults && { environment: faults.environment }),
}

/** One client for the page. An app has one of the two. */
export const client: TaskClient = isLite ? createLiteClient(options) : createTaskClient(options)
