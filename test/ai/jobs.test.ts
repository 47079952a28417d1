import { mcpTools } from 'taskwire/ai'
import { describe, expect, it } from 'vitest'
import { FIXTURES } from '../jobs/fixtures.js'
import { createJobVisits } from '../jobs/jobVisits.js'
import { createTaskClient } from '../support/anyClient.js'

const NAMES: Record<string, readonly string[]> = {
  ComfyUI: ['start_workflow'],
  'notebooklm-py': ['research_import', 'research_start'],
  'dcc-mcp': ['render_sequence'],
  costrict: ['deploy_service'],
  OpenRouter: ['generate_video'],
  itential: ['start_workflow'],
}

describe.each(FIXTURES.map((fixture) => [fixture.server, fixture] as const))('the tools of %s', (server, fixture) => {
  it('leave out what follows a job: the model starts one, and has its outcome', async () => {
    const { browser, open, says } = createJobVisits(createTaskClient, fixture)
    const tools = await mcpTools(open().client)
    expect(Object.keys(tools).sort()).toEqual(NAMES[server])
    const outputs: unknown[] = []
    const started = tools[fixture.call.name]
    const running = (async () => {
      const options = { toolCallId: 'call-1', messages: [] }
      for await (const output of started?.execute(fixture.call.arguments, options) ?? []) outputs.push(output)
    })()
    await browser.advance(10)
    says('completed')
    await browser.advance(fixture.job.intervalMs ?? 1000)
    await running
    expect(outputs.at(-1)).toEqual(fixture.outcome)
  })

  it('tell the model that a call waits for its outcome', async () => {
    const { open } = createJobVisits(createTaskClient, fixture)
    const tools = await mcpTools(open().client)
    expect(tools[fixture.call.name]?.description).toContain(
      'The call waits for the job and returns its outcome: there is nothing to poll.',
    )
  })

  it('are all there where the app filters them', async () => {
    const { open } = createJobVisits(createTaskClient, fixture)
    const tools = await mcpTools(open().client, { filter: () => true })
    expect(Object.keys(tools)).toHaveLength(fixture.tools.length)
  })
})
