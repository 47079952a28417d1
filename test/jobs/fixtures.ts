import { byStatusField, defineJob, type JobToolResult } from 'taskwire/jobs'
import { isError, type JobFixture, string, structured, text, tool } from './jobFixture.js'

const int = { type: 'integer' }

// The shapes of six public servers, read in November 2026: names of tools, arguments and fields, and no more.

/** ComfyUI by artokun/comfyui-mcp: JSON in a text behind a warning, booleans in place of a status, one tool for everything. */
const comfyui: JobFixture = {
  server: 'ComfyUI',
  id: 'prompt-5f0c21e8',
  job: defineJob({
    start: 'start_workflow',
    status: { tool: 'queue', arguments: (id) => ({ action: 'status', prompt_id: id }) },
    cancel: { tool: 'queue', arguments: (id) => ({ action: 'cancel', prompt_id: id }) },
    result: { tool: 'get_history', arguments: (id) => ({ prompt_id: id }) },
    id: 'prompt_id',
    read: ({ structuredContent: { running, pending, done, found, status_str, error } }) => {
      if (found === false) return { status: 'gone' }
      if (done && status_str === 'error') return { status: 'failed', message: error.exception_message }
      if (done && status_str === 'interrupted') return { status: 'cancelled' }
      if (done) return { status: 'completed' }
      if (running || pending) return { status: 'working', message: running ? 'Running' : 'In the queue' }
      throw new Error('neither running, nor pending, nor done')
    },
    intervalMs: 2000,
  }),
  tools: [
    tool('start_workflow', { filename: string }, ['filename'], 'Returns the prompt_id; queue says how it stands.'),
    tool('queue', { action: { enum: ['list', 'status', 'move', 'cancel'] }, prompt_id: string }, ['action']),
    tool('get_history', { prompt_id: string }, []),
  ],
  call: { name: 'start_workflow', arguments: { filename: 'portrait.json' } },
  outcome: text({ outputs: { 9: { images: ['portrait_00001_.png'] } } }),
  asked: { action: 'status', prompt_id: 'prompt-5f0c21e8' },
  cancels: { name: 'queue', arguments: { action: 'cancel', prompt_id: 'prompt-5f0c21e8' } },
  progress: undefined,
  reason: 'CUDA out of memory',
  answers: {
    started: {
      content: [
        { type: 'text', text: '**Conversion warnings (1):**\n- node 7 has no title' },
        ...text({ status: 'enqueued', prompt_id: 'prompt-5f0c21e8', queue_remaining: 1 }).content,
      ],
    },
    working: text({ running: true, pending: false, done: false }),
    completed: text({ running: false, pending: false, done: true, status_str: 'success' }),
    failed: text({
      running: false,
      pending: false,
      done: true,
      status_str: 'error',
      error: { exception_message: 'CUDA out of memory' },
    }),
    cancelled: text({ running: false, pending: false, done: true, status_str: 'interrupted' }),
    gone: text({ running: false, pending: false, done: false, found: false, message: 'Never executed' }),
    lie: text({ running: false, pending: false, done: false }),
    cancel: text('Interrupted the running job.'),
  },
}

/** notebooklm-py: a job is known by two arguments, one of which is of the call. */
const notebooklm: JobFixture = {
  server: 'notebooklm-py',
  id: 'research-77',
  job: defineJob({
    start: 'research_start',
    status: 'research_status',
    cancel: {
      tool: 'research_cancel',
      arguments: ({ notebook, task_id }) => ({ notebook, run_id: task_id }),
    },
    id: ({ structuredContent: { task_id } }, { notebook }) => ({ notebook, task_id }),
    read: byStatusField('status', { gone: ['no_research'] }),
    intervalMs: 5000,
  }),
  tools: [
    tool('research_start', { notebook: string, query: string, mode: string }, ['notebook', 'query']),
    tool('research_status', { notebook: string, task_id: string }, ['notebook']),
    tool('research_cancel', { notebook: string, run_id: string }, ['notebook', 'run_id']),
    tool('research_import', { notebook: string, task_id: string }, ['notebook', 'task_id']),
  ],
  call: { name: 'research_start', arguments: { notebook: 'Rivers', query: 'floods', mode: 'deep' } },
  outcome: structured({
    status: 'completed',
    task_id: 'research-77',
    sources: [{ title: 'Floods' }],
    report: 'Rivers rise.',
  }),
  asked: { notebook: 'Rivers', task_id: 'research-77' },
  cancels: { name: 'research_cancel', arguments: { notebook: 'Rivers', run_id: 'research-77' } },
  progress: undefined,
  reason: 'The quota is used up.',
  answers: {
    started: structured({ notebook_id: 'nb-1', task_id: 'research-77', mode: 'deep' }),
    working: structured({ status: 'in_progress', task_id: 'research-77', sources: [], summary: null }),
    completed: structured({
      status: 'completed',
      task_id: 'research-77',
      sources: [{ title: 'Floods' }],
      report: 'Rivers rise.',
    }),
    failed: structured({ status: 'failed', task_id: 'research-77', message: 'The quota is used up.' }),
    cancelled: structured({ status: 'cancelled', task_id: 'research-77' }),
    gone: structured({ status: 'not_found', task_id: null }),
    lie: structured({ status: 'somewhere', task_id: 'research-77' }),
    cancel: structured({ notebook_id: 'nb-1', run_id: 'research-77', cancelled: true }),
  },
}

/** dcc-mcp-core: a job envelope with progress; an unknown id is `isError`; jobs are ended by a notification of MCP alone. */
const dcc: JobFixture = {
  server: 'dcc-mcp',
  id: '0f6d3b52-77aa-4a10',
  job: defineJob({
    start: 'render_sequence',
    status: 'jobs_get_status',
    id: 'job_id',
    read: byStatusField('status', {
      progress: { value: 'progress.current', total: 'progress.total' },
      message: 'progress.message',
      result: 'result',
    }),
  }),
  tools: [
    tool('render_sequence', { start: int, end: int }, ['start', 'end'], 'Poll jobs_get_status with the job_id.'),
    tool('jobs_get_status', { job_id: string, include_logs: { type: 'boolean' } }, ['job_id']),
  ],
  call: { name: 'render_sequence', arguments: { start: 1, end: 90 } },
  outcome: structured({ success: true, frames: 90 }),
  asked: { job_id: '0f6d3b52-77aa-4a10' },
  cancels: undefined,
  progress: { progress: 45, total: 90 },
  reason: 'Frame 46 has no camera.',
  answers: {
    started: structured({ job_id: '0f6d3b52-77aa-4a10', status: 'pending' }),
    working: structured({
      job_id: '0f6d3b52-77aa-4a10',
      status: 'running',
      progress: { current: 45, total: 90, message: 'frame 45' },
      error: null,
    }),
    completed: structured({
      job_id: '0f6d3b52-77aa-4a10',
      status: 'completed',
      progress: { current: 90, total: 90, message: 'frame 90' },
      error: null,
      result: { success: true, frames: 90 },
    }),
    failed: structured({
      job_id: '0f6d3b52-77aa-4a10',
      status: 'failed',
      progress: null,
      error: 'Frame 46 has no camera.',
    }),
    cancelled: structured({ job_id: '0f6d3b52-77aa-4a10', status: 'cancelled', progress: null, error: null }),
    gone: isError("No job found with id '0f6d3b52-77aa-4a10'"),
    lie: structured({ job_id: '0f6d3b52-77aa-4a10', status: 'defragmenting' }),
    cancel: {},
  },
}

/** The convention of costrict: `{ taskId, status, message }` by a tool of your own. Here it wraps its JSON as Python servers do. */
const costrict: JobFixture = {
  server: 'costrict',
  id: 'deploy-abc123',
  job: defineJob({
    start: 'deploy_service',
    status: 'get_deploy_status',
    cancel: 'stop_deploy',
    id: 'taskId',
    read: byStatusField('status', { progress: 'percent' }),
    intervalMs: 3000,
  }),
  tools: [
    tool('deploy_service', { service: string }, ['service']),
    tool('get_deploy_status', { taskId: string }, ['taskId']),
    tool('stop_deploy', { taskId: string }, ['taskId']),
  ],
  call: { name: 'deploy_service', arguments: { service: 'shop' } },
  outcome: structured({ result: '{"taskId":"deploy-abc123","status":"Success","message":"Deployed"}' }),
  asked: { taskId: 'deploy-abc123' },
  cancels: { name: 'stop_deploy', arguments: { taskId: 'deploy-abc123' } },
  progress: { progress: 40, total: 100 },
  reason: 'The image does not start.',
  answers: {
    started: structured({ result: '{"taskId":"deploy-abc123","status":"running","message":"Deployment started"}' }),
    working: structured({
      result: '{"taskId":"deploy-abc123","status":"Running","message":"Pushing","percent":"40%"}',
    }),
    completed: structured({ result: '{"taskId":"deploy-abc123","status":"Success","message":"Deployed"}' }),
    failed: structured({
      result: '{"taskId":"deploy-abc123","status":"Failed","error":{"code":7,"message":"The image does not start."}}',
    }),
    cancelled: structured({ result: '{"taskId":"deploy-abc123","status":"Canceled"}' }),
    gone: text('Task deploy-abc123 not found'),
    lie: structured({ result: '{"taskId":"deploy-abc123","status":"Rolling"}' }),
    cancel: text('Stopping.'),
  },
}

/** OpenRouter by stabgan/openrouter-mcp-multimodal: words in the text, the state in `_meta`, failure as `isError`. */
const meta = ({ _meta }: JobToolResult) =>
  Object(_meta) as { code?: string; video_id?: string; last_status?: string; progress?: number }
const openrouter: JobFixture = {
  server: 'OpenRouter',
  id: 'video-9a81bd03',
  job: defineJob({
    start: 'generate_video',
    status: { tool: 'get_video_status', arguments: (id) => ({ video_id: id }) },
    // A video that is done before `max_wait_ms` is the result of the call.
    id: (result) => (meta(result).code === 'JOB_STILL_RUNNING' ? meta(result).video_id : undefined),
    read: (result) => {
      const { code, last_status: word, progress } = meta(result)
      if (code === 'JOB_FAILED') return { status: 'failed', message: (result.content[0] as { text: string }).text }
      if (code === 'UPSTREAM_NOT_FOUND') return { status: 'gone' }
      if (code === undefined) return { status: 'completed' }
      if (word === 'cancelled') return { status: 'cancelled' }
      if (word !== 'pending' && word !== 'in_progress') throw new Error(`the video is ${word}`)
      return { status: 'working', progress: progress === undefined ? undefined : { value: progress, total: 100 } }
    },
    intervalMs: 10_000,
  }),
  tools: [
    tool('generate_video', { prompt: string, max_wait_ms: { type: 'number' } }, ['prompt']),
    tool('get_video_status', { video_id: string, save_path: string }, ['video_id']),
  ],
  call: { name: 'generate_video', arguments: { prompt: 'a river', max_wait_ms: 100 } },
  outcome: { ...text('Video: https://videos.example/9a81'), _meta: { mime: 'video/mp4' } },
  asked: { video_id: 'video-9a81bd03' },
  cancels: undefined,
  progress: { progress: 30, total: 100 },
  reason: 'The prompt was refused.',
  answers: {
    started: {
      ...text('Video still generating after 100ms. Use get_video_status with video_id=video-9a81bd03 to resume.'),
      isError: false,
      _meta: { code: 'JOB_STILL_RUNNING', video_id: 'video-9a81bd03' },
    },
    working: {
      ...text('Video video-9a81bd03 status: in_progress (progress=30)'),
      _meta: { code: 'JOB_STILL_RUNNING', last_status: 'in_progress', progress: 30 },
    },
    completed: { ...text('Video: https://videos.example/9a81'), _meta: { mime: 'video/mp4' } },
    failed: { ...isError('The prompt was refused.'), _meta: { code: 'JOB_FAILED' } },
    cancelled: { ...text('Cancelled'), _meta: { code: 'JOB_STILL_RUNNING', last_status: 'cancelled' } },
    gone: { ...isError('404'), _meta: { code: 'UPSTREAM_NOT_FOUND' } },
    lie: { ...text('Video status: dreaming'), _meta: { code: 'JOB_STILL_RUNNING', last_status: 'dreaming' } },
    cancel: {},
  },
}

/** itential-mcp: the id of a job has another name in the answer of the status tool, and words of its own. */
const itential: JobFixture = {
  server: 'itential',
  id: '66b2f0c19d',
  job: defineJob({
    start: 'start_workflow',
    status: 'describe_job',
    id: (result) => result.structuredContent.object_id,
    read: byStatusField('status', { failed: ['incomplete'] }),
    intervalMs: 2000,
  }),
  tools: [
    tool('start_workflow', { route_name: string, data: {} }, ['route_name'], 'Use object_id with `describe_job`.'),
    tool('describe_job', { object_id: string }, ['object_id']),
  ],
  call: { name: 'start_workflow', arguments: { route_name: 'audit', data: { site: 'north' } } },
  outcome: structured({ _id: '66b2f0c19d', name: 'audit', status: 'complete', tasks: {} }),
  asked: { object_id: '66b2f0c19d' },
  cancels: undefined,
  progress: undefined,
  reason: 'The job failed; the server does not say why.',
  answers: {
    started: structured({ object_id: '66b2f0c19d', name: 'audit', status: 'running', tasks: {}, metrics: {} }),
    working: structured({ _id: '66b2f0c19d', name: 'audit', status: 'running', tasks: {} }),
    completed: structured({ _id: '66b2f0c19d', name: 'audit', status: 'complete', tasks: {} }),
    failed: structured({ _id: '66b2f0c19d', name: 'audit', status: 'error', tasks: {} }),
    cancelled: structured({ _id: '66b2f0c19d', name: 'audit', status: 'canceled', tasks: {} }),
    gone: isError('Error calling tool describe_job: job 66b2f0c19d does not exist'),
    lie: structured({ _id: '66b2f0c19d', name: 'audit', status: 7 }),
    cancel: {},
  },
}

export const FIXTURES: readonly JobFixture[] = [comfyui, notebooklm, dcc, costrict, openrouter, itential]
