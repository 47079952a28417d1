import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLegacyServer } from '../../demo/server/legacyServer.js'
import { toolsHash } from '../../src/core/client/toolsHash.js'
import { hash } from '../../src/core/record/hash.js'
import { run } from '../../src/tools/cli/run.js'
import { answer, doctoredServer } from './support/doctoredServer.js'
import { freedUrl, serve, serveNode } from './support/serve.js'
import { taskwire, testTerminal } from './support/testTerminal.js'
import { documented, toolLists } from './support/toolLists.js'

let folder = ''
let out = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwire-types-'))
  out = join(folder, 'generated', 'tools.gen.ts')
  return () => rm(folder, { recursive: true })
})

const read = () => readFile(out, 'utf8')

/** A file with a list of tools. */
async function listed(tools: readonly object[]): Promise<string> {
  const path = join(folder, 'tools.json')
  await writeFile(path, JSON.stringify({ tools }))
  return path
}

const echo = (name: string, property = 'text') => ({
  name,
  inputSchema: { type: 'object', properties: { [property]: { type: 'string' } } },
})

describe('npx taskwire types', () => {
  it.each(Object.entries(toolLists))('writes the module of %s', async (name, tools) => {
    const { exitCode, warnings } = await taskwire(['types', await listed(tools), '--out', out])
    await expect(await read()).toMatchFileSnapshot(`golden/${name}.gen.ts`)
    expect(exitCode).toBe(0)
    expect(warnings.split('\n').filter(Boolean)).toHaveLength(name === 'unknowns' ? 3 : 0)
  })

  it('writes the module of the documentation', async () => {
    await taskwire(['types', await listed(documented), '--out', out])
    await expect(await read()).toMatchFileSnapshot('../../docs/examples/taskwire.gen.ts')
  })

  it('names the type of a tool, whatever its schema refers to', async () => {
    const quarter = { Quarter: { type: 'string', enum: ['Q1', 'Q2'] } }
    const properties = { quarter: { $ref: '#/$defs/Quarter' } }
    const report = { type: 'object', properties, required: ['quarter'] }
    const tool = {
      name: 'report',
      inputSchema: { ...report, $defs: quarter },
      outputSchema: { $ref: '#/$defs/Report', $defs: { ...quarter, Report: report } },
    }
    await taskwire(['types', await listed([tool]), '--out', out])
    const text = await read()
    expect(text).toMatch(/^ {4}arguments: ReportArguments$/m)
    expect(text).toMatch(/^ {4}structuredContent: ReportOutputReport$/m)
    expect(text).toContain('export type ReportOutputReport = {\n  quarter: ReportOutputQuarter\n}')
  })

  it('gives what a schema refers to a name that no other schema has', async () => {
    const place = (kind: string) => ({ type: 'object', properties: { [kind]: { type: 'string' } } })
    // As zod-to-json-schema refers to a schema that is used twice.
    const schema = (kind: string) => ({
      type: 'object',
      properties: { from: place(kind), to: { $ref: '#/properties/from' } },
    })
    const tools = [
      { name: 'fly', inputSchema: schema('airport') },
      { name: 'ride', inputSchema: schema('station') },
    ]
    await taskwire(['types', await listed(tools), '--out', out])
    const declared = [...(await read()).matchAll(/^export type (\w+) /gm)].map(([, name]) => name)
    expect(declared).toEqual(['FlyArguments', 'FlyArgumentsFrom', 'RideArguments', 'RideArgumentsFrom'])
  })

  it('leaves a type and a reference out that are no texts', async () => {
    const odd = { toString: 1 }
    const properties = { reference: { $ref: odd }, type: { type: odd }, text: { type: 'string' } }
    const { exitCode } = await taskwire([
      'types',
      await listed([{ name: 'odd', inputSchema: { type: 'object', properties } }]),
      '--out',
      out,
    ])
    expect(await read()).toMatch(/reference\?: unknown\n {2}type\?: unknown\n {2}text\?: string/)
    expect(exitCode).toBe(0)
  })

  it('says of which types a schema says too little', async () => {
    const { warnings } = await taskwire(['types', await listed(toolLists['unknowns'] ?? []), '--out', out])
    expect(warnings.split('\n')).toEqual([
      expect.stringContaining('The type of the arguments of "elsewhere" is unknown: '),
      expect.stringContaining('The type of the arguments of "from_a_file" is unknown: '),
      expect.stringContaining('The type of what "missing" returns is unknown: Missing $ref pointer'),
    ])
  })

  it('reads all pages of a server of 2026-07-28, with the headers that it is given', async () => {
    const authorizations = new Set<string | null>()
    const url = await serve(
      doctoredServer({
        request: (request, message) => {
          authorizations.add(request.headers.get('authorization'))
          if (message['method'] !== 'tools/list') return undefined
          const { cursor } = message['params'] as { cursor?: string }
          const page = cursor === undefined ? { tools: [echo('one')], nextCursor: 'second' } : { tools: [echo('two')] }
          return answer(message, { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...page } })
        },
      }),
    )
    const { output } = await taskwire(['types', url, '--out', out, '--header', 'Authorization: Bearer secret'])
    expect(output).toBe(`${out}: 2 tools.`)
    expect(await read()).toMatch(/^ {2}one: \{[\s\S]*^ {2}two: \{/m)
    expect([...authorizations]).toEqual(['Bearer secret'])
  })

  it('reads the tools of a server of 2025-11-25', async () => {
    const legacy = createLegacyServer()
    onTestFinished(() => legacy.close())
    const { exitCode } = await taskwire(['types', await serveNode(legacy.handle), '--out', out])
    expect(exitCode).toBe(0)
    expect(await read()).toContain('export type RenderShotArguments = {')
  })

  it('leaves a module alone that is the same, so that no build begins anew', async () => {
    const path = await listed([echo('one')])
    await taskwire(['types', path, '--out', out])
    await utimes(out, 1, 1)
    const { output } = await taskwire(['types', path, '--out', out])
    expect(output).toBe(`${out} is up to date: 1 tool.`)
    expect((await stat(out)).mtimeMs).toBe(1000)
  })
})

describe('npx taskwire types --check', () => {
  const check = async (tools: readonly object[]) => taskwire(['types', await listed(tools), '--out', out, '--check'])

  beforeEach(async () => {
    await taskwire(['types', await listed([echo('changed'), echo('gone'), echo('same')]), '--out', out])
  })

  it('passes where the tools are the same in another order and in other words', async () => {
    const tools = [{ ...echo('same'), description: 'New words' }, echo('gone'), echo('changed')]
    expect(await check(tools)).toMatchObject({ exitCode: 0, output: `${out} fits: 3 tools.` })
  })

  it('fails where they are not, and says which, and writes nothing', async () => {
    const before = await read()
    const { exitCode, output } = await check([echo('same'), echo('changed', 'other'), echo('added')])
    expect(exitCode).toBe(1)
    expect(output.split('\n').slice(1)).toEqual(['  + added', '  ~ changed', '  - gone'])
    expect(await read()).toBe(before)
  })

  it('fails where nothing was written yet', async () => {
    await rm(out)
    const { exitCode, warnings } = await check([echo('same')])
    expect({ exitCode, warnings }).toEqual({ exitCode: 1, warnings: expect.stringContaining('There is no') })
  })
})

it('npx taskwire types --watch asks again, goes on when the server is away, and writes what has changed', async () => {
  const controller = new AbortController()
  /** What each question is answered with. */
  const answers = [[echo('one')], [echo('one')], undefined, [echo('one'), echo('two')]]
  const url = await serve(
    doctoredServer({
      request: (_, message) => {
        if (message['method'] !== 'tools/list') return undefined
        const tools = answers.shift()
        if (answers.length === 0) controller.abort()
        if (tools === undefined) return new Response('Restarting', { status: 503 })
        return answer(message, { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools } })
      },
    }),
  )
  const terminal = testTerminal({ fires: (ms) => ms === 7000 }, controller.signal)
  const exitCode = await run(['types', url, '--out', out, '--watch', '--interval', '7'], terminal)
  expect(exitCode).toBe(0)
  expect(terminal.output).toEqual([`${out}: 1 tool.`, `${out}: 2 tools.\n  + two`])
  expect(terminal.warnings).toEqual([expect.stringContaining('Failed to list the tools')])
  expect(terminal.environment.now()).toBe(3 * 7000)
})

it('npx taskwire types --watch ends at once where it is stopped while it waits', async () => {
  const controller = new AbortController()
  const fires = () => {
    setImmediate(() => controller.abort())
    return false
  }
  const terminal = testTerminal({ fires }, controller.signal)
  const timers = vi.spyOn(terminal.environment, 'setTimeout')
  const cleared = vi.spyOn(terminal.environment, 'clearTimeout')
  const exitCode = await run(['types', await listed([echo('one')]), '--out', out, '--watch'], terminal)
  expect(exitCode).toBe(0)
  // Node would wait for it.
  expect(cleared.mock.calls).toEqual([[timers.mock.results[0]?.value]])
})

describe('npx taskwire types cannot write', () => {
  it('where a server has no tools', async () => {
    const { exitCode, warnings } = await taskwire([
      'types',
      await serve(doctoredServer({}, { tools: [] })),
      '--out',
      out,
    ])
    expect(warnings).toMatch(/There are no tools at http/)
    expect(exitCode).toBe(1)
  })

  it('where nobody answers, and names the doctor', async () => {
    const url = await freedUrl()
    const { exitCode, warnings } = await taskwire(['types', `${url}?token=secret`, '--out', out])
    expect(warnings).toContain(`npx taskwire doctor ${url}`)
    expect(warnings).not.toContain('secret')
    expect(exitCode).toBe(2)
  })

  it.each([
    [['types'], /Which server\? Pass its URL/],
    [
      ['types', 'none.json'],
      /"none\.json" is not an http: or https: URL, and could not be read as a JSON file: ENOENT/,
    ],
    [['types', 'package.json'], /"package\.json" is not a list of tools/],
    [['types', 'README.md'], /could not be read as a JSON file/],
    [['types', 'x.json', '--check', '--watch'], /cannot be combined/],
    [['types', 'x.json', '--interval', '-1'], /See: npx taskwire types --help|no number of seconds/],
  ])('with the arguments %j', async (args, says) => {
    const { exitCode, warnings } = await taskwire(args)
    expect(warnings).toMatch(says)
    expect(exitCode).toBe(2)
  })
})

describe('npx taskwire', () => {
  it.each([
    [['--help'], 0, /^Usage: npx taskwire <command>/, ''],
    [['--version'], 0, /^\d+\.\d+\.\d+$/, ''],
    [['doctor', '--help'], 0, /^Usage: npx taskwire doctor <url>/, ''],
    [['types', '-h'], 0, /^Usage: npx taskwire types <url \| file>/, ''],
    [[], 2, /^$/, /^Usage: npx taskwire <command>/],
    [['toString'], 2, /^$/, /^There is no command "toString"/],
  ] as const)('with the arguments %j', async (args, exitCode, output, warnings) => {
    const ran = await taskwire(args)
    expect(ran.exitCode).toBe(exitCode)
    expect(ran.output).toMatch(output)
    expect(ran.warnings).toMatch(warnings)
  })
})

describe('toolsHash', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' }, description: { type: 'string' } } }

  it('is the same whatever the order of tools and keys, and the descriptions', () => {
    const one = { name: 'a', description: 'A', inputSchema: schema }
    const same = {
      inputSchema: {
        properties: { description: { type: 'string' }, a: { description: 'Words', type: 'string' } },
        type: 'object',
      },
      name: 'a',
    }
    expect(toolsHash([one, echo('b')], hash)).toBe(toolsHash([echo('b'), same], hash))
  })

  it.each([
    ['a name', { name: 'b', inputSchema: schema }],
    ['a schema of arguments', { name: 'a', inputSchema: { type: 'object' } }],
    ['a property named description', { name: 'a', inputSchema: { ...schema, properties: { a: { type: 'string' } } } }],
    ['an output', { name: 'a', inputSchema: schema, outputSchema: schema }],
  ])('changes with %s', (_, tool) => {
    expect(toolsHash([tool], hash)).not.toBe(toolsHash([{ name: 'a', inputSchema: schema }], hash))
  })

  it('is pinned: clients compare it with that of modules that were written before', () => {
    expect(toolsHash([{ name: 'a', inputSchema: schema }], hash)).toMatchInlineSnapshot(
      `"102e5e43f62ba616c9bdaa07d995"`,
    )
  })
})

describe('what a server says', () => {
  const EVIL = 'a\u001b]0;owned\u0007\u202e\u009b31m\nFORGED line'

  it('[EDGE-46] cannot move the cursor, set the title or forge a line by the names of tools', async () => {
    const tools = [{ name: EVIL, inputSchema: { $ref: 'https://elsewhere.example/a' } }]
    const first = await taskwire(['types', await listed([echo('echo')]), '--out', out])
    const written = await taskwire(['types', await listed(tools), '--out', out])
    const text = [first, written].flatMap(({ output, warnings }) => [output, warnings]).join('\n')
    expect(text).toContain('owned')
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(text).not.toMatch(/^FORGED/m)
  })

  it('[EDGE-46] cannot do so by the reason for which the tools could not be listed', async () => {
    const url = await serve(
      doctoredServer({ request: (_, message) => answer(message, { error: { code: -32000, message: EVIL } }) }),
    )
    const { warnings } = await taskwire(['types', url, '--out', out])
    expect(warnings).toContain('owned')
    expect(warnings.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(warnings).not.toMatch(/^FORGED/m)
  })

  it('[EDGE-46] is escaped in the JSON of the doctor', async () => {
    const url = await serve(doctoredServer({}, { serverInfo: { name: EVIL, version: '1' } }))
    const { output } = await taskwire(['doctor', url, '--json'])
    expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(JSON.parse(output)).toMatchObject({ server: { name: expect.stringContaining(EVIL) } })
  })
})
