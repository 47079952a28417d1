import { createTaskClient } from 'taskwire'
import { defineJob } from 'taskwire/jobs'

const video = defineJob({
  start: 'generate_video',
  status: {
    tool: 'videos',
    arguments: (id) => ({ action: 'status', video_id: id }),
  },
  cancel: {
    tool: 'videos',
    arguments: (id) => ({ action: 'stop', video_id: id }),
  },
  // A short video is ready at once, so there is no job to follow.
  id: ({ structuredContent }) =>
    structuredContent.done ? undefined : structuredContent.video_id,
  read: ({ structuredContent: { done, error, percent, url } }) => {
    if (error) return { status: 'failed', message: error }
    if (!done)
      return {
        status: 'working',
        progress: { value: percent, total: 100 },
        message: 'Rendering',
      }
    return {
      status: 'completed',
      result: {
        content: [{ type: 'text', text: url }],
        structuredContent: { url },
      },
    }
  },
})

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  jobs: [video],
})
