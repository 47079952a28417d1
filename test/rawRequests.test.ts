import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createTaskServer, defineTool } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { serve } from './cli/support/serve.js'
import type { Json } from './server/support/rpc.js'
import { text } from './server/support/tools.js'

const page = readFileSync('docs/raw-requests.md', 'utf8')
/** The commands under a heading of the page. */
const commandsOf = (heading: string) => {
  const section = page.split(/^## /m).find((part) => part.startsWith(`\`${heading}\``)) ?? ''
  return /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? `There are no commands under ${heading}.`
}
const setUp = /```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? ''

/** What the page calls, with the input request that it answers. */
const report = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.enum(['Q1', 'Q2', 'Q3', 'Q4']) }),
  taskSupport: 'optional',
  async handler({ quarter }, { elicit }) {
    const answer = await elicit({ message: 'Publish?', requestedSchema: z.object({ approved: z.boolean() }) })
    return text(`${quarter} ${answer.action}`)
  },
})

const hasCurl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0
const WITHOUT_CURL = 'The requests of the page are left out: install bash and curl.'

/** A shell that has run the beginning of the page against a server. Resolves to what its commands print. */
async function startShell() {
  const server = createTaskServer({
    serverInfo: { name: 'reports', version: '1.0.0' },
    tools: [report],
    pollIntervalMs: 10,
  })
  const url = await serve(server.fetch)
  onTestFinished(() => server.close())
  const begin = setUp.replace(/^URL=.*$/m, `URL=${url}`)
  return async (commands: string, task = '') => {
    const script = `set -e\n${begin}\nTASK=${task}\n${commands.replace(/^TASK=.*$/m, '')}`
    return (await promisify(execFile)('bash', ['-c', script])).stdout
  }
}

const resultOf = (printed: string) => (JSON.parse(printed) as { result: Json }).result

describe('the page of raw requests', () => {
  it.skipIf(!hasCurl)(
    hasCurl ? 'has commands that work as they stand, from the discovery to the end of a task' : WITHOUT_CURL,
    async () => {
      const run = await startShell()
      expect(resultOf(await run(commandsOf('server/discover')))).toMatchObject({
        supportedVersions: expect.arrayContaining(['2026-07-28']),
        capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
      })
      expect(JSON.stringify(resultOf(await run(commandsOf('tools/list'))))).toContain('generate_report')
      const created = resultOf(await run(commandsOf('tools/call')))
      expect(created).toMatchObject({ resultType: 'task', status: 'working' })
      const task = String(created['taskId'])
      expect(resultOf(await run(commandsOf('tasks/get'), task))).toMatchObject({
        status: 'input_required',
        inputRequests: { 'elicitation-1': { method: 'elicitation/create' } },
      })
      expect(resultOf(await run(commandsOf('tasks/update'), task))).toMatchObject({ resultType: 'complete' })
      const events = await run(commandsOf('subscriptions/listen'), task)
      expect(events).toMatch(/"status":"completed"/)
      expect(events.trimEnd().split('\n').at(-1)).toContain('"id":1')
      expect(resultOf(await run(commandsOf('tasks/get'), task))).toMatchObject({
        status: 'completed',
        result: text('Q3 accept'),
      })
    },
  )

  it.skipIf(!hasCurl)(hasCurl ? 'cancels a task, and shows the refusals of its table' : WITHOUT_CURL, async () => {
    const run = await startShell()
    const task = String(resultOf(await run(commandsOf('tools/call')))['taskId'])
    expect(resultOf(await run(commandsOf('tasks/cancel'), task))).toMatchObject({ resultType: 'complete' })
    expect(resultOf(await run(commandsOf('tasks/get'), task))).toMatchObject({ status: 'cancelled' })
    const other = await run(`mcp tools/call other '"name": "generate_report", "arguments": {}'`)
    expect(JSON.parse(other)).toMatchObject({ error: { code: -32020 } })
    expect(JSON.parse(await run(`mcp tasks/get none '"taskId": "none"'`))).toMatchObject({ error: { code: -32602 } })
  })
})
