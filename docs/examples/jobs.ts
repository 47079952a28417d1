import { createTaskClient } from 'taskwire'
import { byStatusField, defineJob } from 'taskwire/jobs'

const render = defineJob({
  start: 'run_workflow',
  status: 'workflow_status',
  cancel: 'cancel_workflow',
  id: 'run_id',
  read: byStatusField('status', {
    working: ['rendering'],
    progress: { value: 'step', total: 'steps' },
  }),
  intervalMs: 2000,
})

const client = createTaskClient({
  url: 'https://example.com/mcp',
  jobs: [render],
})

export const picture = await client.callTool(
  { name: 'run_workflow', arguments: { scene: 'harbour' } },
  { key: 'harbour' },
)
