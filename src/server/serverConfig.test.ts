import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createServerConfig } from './serverConfig.js'
import type { TaskServerOptions } from './taskServerOptions.js'
import type { ToolDefinition } from './tools/defineTool.js'

const serverInfo = { name: 'test', version: '1' }
const tool: ToolDefinition = {
  name: 'slow',
  inputSchema: z.object({}),
  taskSupport: 'optional',
  handler: () => ({ content: [] }),
}

describe('createServerConfig', () => {
  it('needs no more than a name and tools', () => {
    const config = createServerConfig({ serverInfo, tools: [tool] })
    expect(config).toMatchObject({ pollIntervalMs: 1000, maxTasksPerOwner: 1000, maxRequestBodySize: 4 * 1024 * 1024 })
    expect(config.ttlOf(tool)).toBe(3_600_000)
  })

  it.each([
    [{ defaultTtlMs: 5000 }, undefined, 5000],
    [{ defaultTtlMs: null }, undefined, null],
    [{ defaultTtlMs: null, maxTtlMs: 9000 }, undefined, 9000],
    [{ defaultTtlMs: 5000, maxTtlMs: 9000 }, undefined, 5000],
    [{ maxTtlMs: 9000 }, undefined, 9000],
    [{ defaultTtlMs: 5000 }, 7000, 7000],
    [{ maxTtlMs: 6000 }, 7000, 6000],
    [{ maxTtlMs: 6000 }, null, 6000],
    [{}, null, null],
  ])('with %j and a tool that says %s keeps its tasks for %s ms', (options, ttlMs, expected) => {
    const config = createServerConfig({ serverInfo, tools: [], ...options })
    expect(config.ttlOf({ ...tool, ...(ttlMs !== undefined && { ttlMs }) })).toBe(expected)
  })

  const broken: [string, Record<string, unknown>, string][] = [
    ['no serverInfo', { serverInfo: undefined }, '`serverInfo` has no name or no version. Pass { name, version }.'],
    ['no tools', { tools: undefined }, '`tools` is not an array. Pass the tools made with defineTool().'],
    ['an empty tool', { tools: [undefined] }, 'a tool has no `name`. Give every tool a name of its own.'],
    ['two tools of a name', { tools: [tool, tool] }, 'two tools are named "slow". Give every tool a name of its own.'],
    [
      'a tool without a schema',
      { tools: [{ ...tool, inputSchema: { type: 'object' } }] },
      '`inputSchema` of the tool "slow" is not a Standard Schema. Pass one such as z.object({}) of zod 4.',
    ],
    [
      'a tool that does not say',
      { tools: [{ ...tool, taskSupport: undefined }] },
      "`taskSupport` of the tool \"slow\" is undefined. Pass 'forbidden', 'optional' or 'required'.",
    ],
    [
      'a tool that does nothing',
      { tools: [{ ...tool, handler: undefined }] },
      '`handler` of the tool "slow" is not a function. Pass what does the work.',
    ],
    [
      'a tool with a wrong ttl',
      { tools: [{ ...tool, ttlMs: -1 }] },
      '`ttlMs` of the tool "slow" is -1. Pass a whole number above 0, or null for no limit.',
    ],
    ['half a millisecond', { pollIntervalMs: 0.5 }, '`pollIntervalMs` is 0.5. Pass a whole number above 0.'],
    [
      'an endless number',
      { defaultTtlMs: Number.POSITIVE_INFINITY },
      '`defaultTtlMs` is Infinity. Pass a whole number above 0, or null for no limit.',
    ],
    ['a number in quotes', { maxTasksPerOwner: '5' }, '`maxTasksPerOwner` is 5. Pass a whole number above 0.'],
    ['no room', { maxTtlMs: 0 }, '`maxTtlMs` is 0. Pass a whole number above 0.'],
  ]

  it.each(broken)('says what to do about %s', (_, options, problem) => {
    const create = () => createServerConfig({ serverInfo, tools: [], ...options } as unknown as TaskServerOptions)
    expect(create).toThrow(`Failed to create the task server: ${problem}`)
    expect(create).toThrow(expect.objectContaining({ name: 'TaskConfigurationError' }))
  })
})
