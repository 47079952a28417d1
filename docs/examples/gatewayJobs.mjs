import { byStatusField, defineJob } from 'taskwire/jobs'

export default [
  defineJob({
    start: 'run_workflow',
    status: 'workflow_status',
    cancel: 'cancel_workflow',
    id: 'run_id',
    read: byStatusField('status', {
      progress: { value: 'step', total: 'steps' },
    }),
    intervalMs: 2000,
  }),
]
