import { describe, expect, it } from 'vitest'
import { jobLines } from '../../src/tools/cli/doctor/jobLines.js'
import { findJobPairs } from '../../src/tools/cli/doctor/jobPairs.js'
import { FIXTURES } from './fixtures.js'

/** What stands between the brackets. */
const linesOf = (tools: readonly unknown[]) =>
  jobLines(findJobPairs(tools)).split('export const jobs = [\n')[1]?.split('\n]')[0]

const FOUND: Record<string, string> = {
  ComfyUI: `  defineJob({
    start: 'start_workflow',
    status: { tool: 'queue', arguments: (id) => ({ action: 'status', prompt_id: id }) },
    cancel: { tool: 'queue', arguments: (id) => ({ action: 'cancel', prompt_id: id }) },
    id: 'prompt_id',
    read: byStatusField('status'),
  }),`,
  'notebooklm-py': `  defineJob({
    start: 'research_start',
    status: 'research_status',
    cancel: { tool: 'research_cancel', arguments: (id) => ({ notebook: id.notebook, run_id: id.task_id }) },
    id: ({ structuredContent }, args) => ({ notebook: args.notebook, task_id: structuredContent.task_id }),
    read: byStatusField('status'),
  }),`,
  'dcc-mcp': `  defineJob({
    start: 'render_sequence',
    status: 'jobs_get_status',
    id: 'job_id',
    read: byStatusField('status'),
  }),`,
  costrict: `  defineJob({
    start: 'deploy_service',
    status: 'get_deploy_status',
    cancel: 'stop_deploy',
    id: 'taskId',
    read: byStatusField('status'),
  }),`,
  OpenRouter: `  defineJob({
    start: 'generate_video',
    status: 'get_video_status',
    id: 'video_id',
    read: byStatusField('status'),
  }),`,
  itential: `  defineJob({
    start: 'start_workflow',
    status: 'describe_job',
    id: 'object_id',
    read: byStatusField('status'),
  }),`,
}

describe('the pairs of job tools', () => {
  it.each(FIXTURES.map(({ server, tools }) => [server, tools] as const))('of %s are found', (server, tools) => {
    expect(linesOf(tools)).toBe(FOUND[server])
  })

  const schema = (...names: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  })

  it('take the id from where the start tool has it, and the tool for the result', () => {
    const tools = [
      { name: 'createExport', inputSchema: schema('table'), outputSchema: schema('exportId') },
      { name: 'getExportStatus', inputSchema: schema('id'), outputSchema: schema('state') },
      { name: 'getExportResult', inputSchema: schema('id') },
    ]
    expect(linesOf(tools)).toBe(`  defineJob({
    start: 'createExport',
    status: { tool: 'getExportStatus', arguments: (id) => ({ id: id }) },
    result: { tool: 'getExportResult', arguments: (id) => ({ id: id }) },
    id: 'exportId',
    read: byStatusField('state'),
  }),`)
  })

  it.each<[string, unknown[]]>([
    ['a server without tools', []],
    ['what is not a list of tools', [null, 7, {}, { name: 'render' }]],
    [
      'a status that is of something else',
      [
        { name: 'create_user', inputSchema: schema('name') },
        { name: 'get_order_status', inputSchema: schema('order_id') },
      ],
    ],
    [
      'a status tool that wants what the call does not have',
      [
        { name: 'start_scan', inputSchema: schema('host') },
        { name: 'scan_status', inputSchema: schema('tenant', 'scan_id') },
      ],
    ],
    [
      'a status without an id',
      [
        { name: 'start_server', inputSchema: schema() },
        { name: 'server_status', inputSchema: schema() },
      ],
    ],
  ])('are not found in %s', (_, tools) => {
    expect(findJobPairs(tools)).toEqual([])
  })

  it('cannot end the text that their names stand in', () => {
    const tools = [
      { name: "run_a'\n);evil(", inputSchema: schema('b'), description: "a'x_status" },
      { name: "a'x_status", inputSchema: schema("'_id") },
    ]
    expect(linesOf(tools)).toBe(`  defineJob({
    start: "run_a' );evil(",
    status: "a'x_status",
    id: "'_id",
    read: byStatusField('status'),
  }),`)
  })
})
