import { http } from 'msw'
import { setupWorker } from 'msw/browser'
import { scriptTask, taskHandlers } from 'taskwire/testing'

const report = scriptTask(
  [
    { status: 'working', statusMessage: 'Collecting the figures' },
    { status: 'working', statusMessage: 'Writing', afterMs: 4000 },
    {
      status: 'completed',
      result: { content: [{ type: 'text', text: 'The report of Q3' }] },
      afterMs: 4000,
    },
  ],
  { name: 'generate_report' },
)

export const worker = setupWorker(
  ...taskHandlers('/mcp', { tools: [report] }, http),
)
