import { createTaskClient } from 'taskwire'
import { faults } from './devtools.js'
import { isLegacy } from './isLegacy.js'
import { isPushed } from './isPushed.js'

/** One client for the page. */
export const client = createTaskClient({
  url: isLegacy ? '/mcp-legacy' : '/mcp',
  clientInfo: { name: 'taskwire-demo-app', version: '1.0.0' },
  push: isPushed,
  ...(faults && { environment: faults.environment }),
})
