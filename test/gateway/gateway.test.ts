import { type McpServer, ProtocolError, type ServerContext } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from 'taskwire'
import { createTaskGateway, type TaskGatewayOptions } from 'taskwire/gateway'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createManualClock, settle } from '../server/support/manualClock.js'
import { readResponse, rpcRequest } from '../server/support/rpc.js'
import { startGateway } from './support.js'

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

/** A call that the server behind has got, and that a test ends. */
interface Held {
  readonly ctx: ServerContext
  readonly end: (value: string) => void
  readonly fail: (error: Error) => void
}

/** A server behind whose calls a test holds in its hands. */
function holding(more: (server: McpServer) => void = () => {}) {
  const held: Held[] = []
  const setUp = (server: McpServer) => {
    const handler = (_: unknown, ctx: ServerContext) =>
      new Promise<ReturnType<typeof text>>((resolve, reject) =>
        held.push({ ctx, end: (value) => resolve(text(value)), fail: reject }),
      )
    const inputSchema = z.object({ of: z.string().optional() })
    server.registerTool('work', { title: 'Work', description: 'Works', inputSchema }, handler)
    server.registerTool('look', { inputSchema, annotations: { readOnlyHint: true } }, handler)
    more(server)
  }
  return { held, setUp }
}

describe('tools of the server behind', () => {
  it('are listed as they are', async () => {
    const { setUp } = holding()
    const { rpc } = startGateway(setUp)
    const { result } = await rpc('tools/list', {})
    expect(result?.['tools']).toMatchObject([
      {
        name: 'work',
        title: 'Work',
        description: 'Works',
        inputSchema: { type: 'object', properties: { of: { type: 'string' } } },
      },
      { name: 'look', annotations: { readOnlyHint: true } },
    ])
  })

  it('are listed anew when they have changed, and clients that listen are told', async () => {
    const { setUp } = holding()
    const { gateway, rpc, started } = startGateway(setUp)
    await rpc('tools/list', {})
    const client = new AbortController()
    const params = { notifications: { toolsListChanged: true } }
    const stream = await gateway.fetch(rpcRequest('subscriptions/listen', params, { signal: client.signal }))
    const reader = stream.body?.getReader()
    const next = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect(await next()).toContain('toolsListChanged')
    started[0]?.server.registerTool('late', {}, () => text('late'))
    expect(await next()).toContain('notifications/tools/list_changed')
    const { result } = await rpc('tools/list', {})
    expect(result?.['tools']).toMatchObject([{ name: 'work' }, { name: 'look' }, { name: 'late' }])
    client.abort()
  })

  it('are the newest, also where the lists arrive in another order', async () => {
    const lists: ((names: string[]) => void)[] = []
    const { setUp } = holding(({ server }) => {
      server.setRequestHandler(
        'tools/list',
        () =>
          new Promise((resolve) =>
            lists.push((names) => resolve({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) })),
          ),
      )
    })
    const { rpc, started } = startGateway(setUp)
    const first = rpc('tools/list', {})
    await settle()
    lists[0]?.(['one'])
    await first
    started[0]?.server.sendToolListChanged()
    started[0]?.server.sendToolListChanged()
    await settle()
    expect(lists).toHaveLength(3)
    lists[2]?.(['one', 'two', 'three'])
    await settle()
    lists[1]?.(['one', 'two'])
    await settle()
    expect((await rpc('tools/list', {})).result?.['tools']).toHaveLength(3)
  })

  it('are left out, and reported once, where clients would refuse their name', async () => {
    const { setUp } = holding((server) => server.registerTool('a/b', {}, () => text('')))
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { rpc, errors, started } = startGateway(setUp)
    const { result } = await rpc('tools/list', {})
    expect(result?.['tools']).toMatchObject([{ name: 'work' }, { name: 'look' }])
    started[0]?.server.sendToolListChanged()
    await settle()
    expect(errors).toMatchObject([{ error: { name: 'TaskConfigurationError' }, context: { tool: 'a/b' } }])
  })
})

describe('a call through the gateway', () => {
  it('is answered with its result where it ends in time', async () => {
    const { held, setUp } = holding()
    const { call } = startGateway(setUp)
    const answer = call('work')
    await settle()
    held[0]?.end('done')
    expect((await answer).result).toMatchObject({ resultType: 'complete', ...text('done') })
  })

  it('becomes a task after `afterMs`, with the progress of the server behind', async () => {
    const { held, setUp } = holding()
    const { start, get } = startGateway(setUp, { afterMs: 500 })
    const taskId = await start('work', { of: 'tea' }, 500)
    const report = (progress: number) => {
      const { _meta } = held[0]?.ctx.mcpReq ?? {}
      return held[0]?.ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: _meta?.progressToken ?? '', progress, total: 3, message: 'Brewing' },
      })
    }
    await report(1)
    expect(await get(taskId)).toMatchObject({ status: 'working', statusMessage: 'Brewing (1 of 3)' })
    for (const progress of [1.5, 2, 2.5]) void report(progress)
    expect(await get(taskId)).toMatchObject({ statusMessage: 'Brewing (2.5 of 3)' })
    held[0]?.end('tea')
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('tea') })
  })

  it('becomes a task at once where its tool is named', async () => {
    const { setUp } = holding()
    const { start, get } = startGateway(setUp, { tasks: ['work'] })
    expect(await get(await start('work', {}, 0))).toMatchObject({ status: 'working' })
  })

  it('ends in the server behind when its task is cancelled', async () => {
    const { held, setUp } = holding()
    const { start, rpc, get } = startGateway(setUp)
    const taskId = await start('work')
    await rpc('tasks/cancel', { taskId })
    expect(await get(taskId)).toMatchObject({ status: 'cancelled' })
    expect(held[0]?.ctx.mcpReq.signal.aborted).toBe(true)
  })

  it('fails with the error of the server behind', async () => {
    const { setUp } = holding((server) => {
      server.server.setRequestHandler('tools/call', () => {
        throw new ProtocolError(-32050, 'Out of paper', { tray: 2 })
      })
    })
    const { call, errors } = startGateway(setUp)
    expect((await call('work')).error).toEqual({ code: -32050, message: 'Out of paper', data: { tray: 2 } })
    expect(errors).toEqual([])
  })

  it('keeps a result that says it is an error', async () => {
    const { held, setUp } = holding()
    const { start, get } = startGateway(setUp)
    const taskId = await start('work')
    held[0]?.fail(new Error('no such file'))
    const result = { isError: true, ...text('no such file') }
    expect(await get(taskId)).toMatchObject({ status: 'completed', result })
  })
})

describe('a server behind that stops', () => {
  it('fails the tasks that it had, and is started again for the next call', async () => {
    const { held, setUp } = holding()
    const { start, get, call, clock, started, errors } = startGateway(setUp)
    const taskId = await start('work')
    await started[0]?.stop()
    expect(await get(taskId)).toMatchObject({
      status: 'failed',
      error: {
        code: -32603,
        message: 'The server behind the gateway stopped before the tool had finished. The tool may have run in part.',
      },
    })
    expect(errors).toMatchObject([{ context: { source: 'tool', tool: 'work' } }])
    const answer = call('work')
    await settle()
    expect(started).toHaveLength(1)
    await clock.advance(100)
    expect(started).toHaveLength(2)
    held[1]?.end('done')
    expect((await answer).result).toMatchObject(text('done'))
  })

  it.each([
    ['says that it only reads', 'look', {}],
    ['is named', 'work', { repeat: ['work'] }],
  ])('gets a call again whose tool %s', async (_, name, options) => {
    const { held, setUp } = holding()
    const { start, get, clock, started } = startGateway(setUp, options)
    const taskId = await start(name)
    await started[0]?.stop()
    expect(await get(taskId)).toMatchObject({ status: 'working' })
    await clock.advance(100)
    held[1]?.end('at last')
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('at last') })
  })

  it('is started once where it ends while it lists its tools, however many calls wait for it', async () => {
    const { setUp } = holding()
    let starts = 0
    const ends = (server: McpServer) => {
      setUp(server)
      starts += 1
      if (starts === 1) {
        server.server.setRequestHandler('tools/list', async () => {
          await server.close()
          return new Promise(() => {})
        })
      }
    }
    const { rpc, clock, started } = startGateway(ends)
    const first = rpc('tools/list', {})
    const others = Array.from({ length: 3 }, async () => {
      await first
      return rpc('tools/list', {})
    })
    expect((await first).status).toBe(503)
    await settle()
    await clock.advance(100)
    expect(started).toHaveLength(2)
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('is not started for ever: a call that ends it each time fails', async () => {
    const { setUp } = holding()
    const { start, get, clock, started } = startGateway(setUp)
    const taskId = await start('look')
    for (let stops = 0; stops < 5; stops += 1) {
      await started.at(-1)?.stop()
      await clock.advance(5000)
    }
    expect(await get(taskId)).toMatchObject({ status: 'failed' })
    expect(started).toHaveLength(5)
  })

  it('and cannot be started again fails calls in words that say whether they were made', async () => {
    const { setUp } = holding()
    let isGone = false
    const { start, get, call, clock, started } = startGateway((server) => {
      if (isGone) throw new Error('spawn ENOENT')
      setUp(server)
    })
    const taskId = await start('look')
    isGone = true
    await started[0]?.stop()
    await clock.advance(100)
    const mayHaveRun = 'The server behind the gateway cannot be reached. The tool may have run in part.'
    expect(await get(taskId)).toMatchObject({ status: 'failed', error: { code: -32603, message: mayHaveRun } })
    const later = call('look')
    await settle()
    await clock.advance(5000)
    const notCalled = 'The server behind the gateway cannot be reached. The tool was not called.'
    expect((await later).error).toMatchObject({ code: -32603, message: notCalled })
  })

  it('leaves its tools and its tasks to be read', async () => {
    const { held, setUp } = holding()
    const { start, get, rpc, started } = startGateway(setUp)
    const taskId = await start('work')
    held[0]?.end('done')
    await settle()
    await started[0]?.stop()
    const { result } = await rpc('tools/list', {})
    expect(result?.['tools']).toHaveLength(2)
    expect(await get(taskId)).toMatchObject({ status: 'completed' })
    expect(started).toHaveLength(1)
  })

  it('is started again after its pause, also where the clock was set back meanwhile', async () => {
    const { held, setUp } = holding()
    const clock = createManualClock()
    let setBackMs = 0
    const { call, started } = startGateway(setUp, { clock: { ...clock, now: () => clock.now() - setBackMs } })
    const first = call('look')
    await settle()
    held[0]?.end('seen')
    await first
    await started[0]?.stop()
    await settle()
    setBackMs = 3_600_000
    const second = call('look')
    await settle()
    await clock.advance(1000)
    held[1]?.end('seen again')
    expect((await second).result).toMatchObject(text('seen again'))
  })

  it('answers 503 where it cannot be started, and tries again with pauses', async () => {
    const transport = vi.fn(() => Promise.reject(new Error('spawn ENOENT')))
    const { rpc, clock, errors } = startGateway(() => {}, { transport })
    const { status, error } = await rpc('tools/list', {})
    expect({ status, error }).toEqual({
      status: 503,
      error: { code: -32000, message: 'The server behind the gateway cannot be reached.' },
    })
    expect(errors).toMatchObject([{ error: { message: 'spawn ENOENT' } }])
    const again = rpc('tools/list', {})
    await settle()
    expect(transport).toHaveBeenCalledTimes(1)
    await clock.advance(100)
    expect((await again).status).toBe(503)
    expect(transport).toHaveBeenCalledTimes(2)
  })
})

describe('owners', () => {
  const authenticate = ({ headers }: Request) => {
    const name = headers.get('authorization')
    return name === null ? new Response(null, { status: 401 }) : { token: name, clientId: name, scopes: [] }
  }
  const as = (name: string) => ({ headers: { authorization: name } })

  it('have a server of their own each, and cannot see the tasks of others', async () => {
    const { setUp } = holding()
    const { start, rpc, started } = startGateway(setUp, { authenticate, owner: (_, auth) => auth?.clientId })
    const taskId = await start('work', {}, 2000, as('ann'))
    await start('work', {}, 2000, as('bob'))
    await start('look', {}, 2000, as('ann'))
    expect(started.map(({ owner }) => owner)).toEqual(['ann', 'bob'])
    expect((await rpc('tasks/get', { taskId }, as('bob'))).error).toMatchObject({ code: -32602 })
  })

  it('keep the tools that their server has', async () => {
    const { setUp } = holding()
    const gateway = startGateway(setUp, { authenticate })
    await gateway.rpc('tools/list', {}, as('ann'))
    await gateway.rpc('tools/list', {}, as('bob'))
    gateway.started[0]?.server.registerTool('secret', {}, () => text('of ann'))
    await settle()
    expect((await gateway.rpc('tools/list', {}, as('ann'))).result?.['tools']).toHaveLength(3)
    expect((await gateway.rpc('tools/list', {}, as('bob'))).result?.['tools']).toHaveLength(2)
    expect((await gateway.call('secret', {}, as('bob'))).error).toMatchObject({ code: -32602 })
  })

  it('who are refused start nothing', async () => {
    const { gateway, started } = startGateway(() => {}, { authenticate, cors: { origin: ['http://localhost:5173'] } })
    expect((await gateway.fetch(rpcRequest('tools/list', {}))).status).toBe(401)
    const headers = { origin: 'https://evil.example', authorization: 'ann' }
    expect((await gateway.fetch(rpcRequest('tools/list', {}, { headers }))).status).toBe(403)
    expect(started).toEqual([])
  })

  it('are refused where there are too many', async () => {
    const { rpc } = startGateway(() => {}, { authenticate, maxServers: 1 })
    expect((await rpc('tools/list', {}, as('ann'))).status).toBe(200)
    expect((await rpc('tools/list', {}, as('bob'))).status).toBe(503)
    expect((await rpc('tools/list', {}, as('ann'))).status).toBe(200)
  })

  it('keep their server for as long as it works, and `idleMs` after', async () => {
    const { held, setUp } = holding()
    const { start, get, rpc, clock, started } = startGateway(setUp, { authenticate, idleMs: 10_000 })
    const taskId = await start('work', {}, 2000, as('ann'))
    await clock.advance(60_000)
    expect(await get(taskId, as('ann'))).toMatchObject({ status: 'working' })
    held[0]?.end('done')
    await settle()
    await clock.advance(10_000)
    expect(await get(taskId, as('ann'))).toMatchObject({ status: 'completed' })
    expect(started).toHaveLength(1)
    await rpc('tools/list', {}, as('ann'))
    expect(started).toHaveLength(2)
  })

  it('have their server started for a call that had to wait for others for longer than `idleMs`', async () => {
    const { held, setUp } = holding()
    const options = { authenticate, idleMs: 10_000, maxRunning: 1, tasks: ['work'] }
    const { call, get, clock, started } = startGateway(setUp, options)
    await call('work', {}, as('ann'))
    const { result } = await call('work', {}, as('bob'))
    const taskId = String(result?.['taskId'])
    await clock.advance(60_000)
    expect(await get(taskId, as('bob'))).toMatchObject({ status: 'working' })
    held[0]?.end('done')
    await settle()
    await clock.advance(1000)
    held[1]?.end('done, too')
    expect(await get(taskId, as('bob'))).toMatchObject({ status: 'completed', result: text('done, too') })
    expect(started).toHaveLength(3)
  })

  it('keep their server for a call whose body comes late', async () => {
    const { held, setUp } = holding()
    const { gateway, rpc, clock, started } = startGateway(setUp, { authenticate, idleMs: 10_000 })
    await rpc('tools/list', {}, as('ann'))
    await clock.advance(9000)
    const request = rpcRequest('tools/call', { name: 'work', arguments: {} }, as('ann'))
    const bytes = new Uint8Array(await request.arrayBuffer())
    let send = () => {}
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = () => {
          controller.enqueue(bytes)
          controller.close()
        }
      },
    })
    const init = { method: 'POST', headers: request.headers, body, duplex: 'half' }
    const answer = gateway.fetch(new Request(request.url, init as RequestInit))
    await settle()
    await clock.advance(5000)
    send()
    await settle()
    held[0]?.end('done')
    expect((await readResponse(await answer)).result).toMatchObject(text('done'))
    expect(started).toHaveLength(1)
  })
})

describe('the options of a gateway', () => {
  it.each([
    ['either `url` or `transport`', {}],
    ['either `url` or `transport`', { url: 'https://x.example/mcp', transport: () => Promise.reject(new Error()) }],
    ['http', { url: 'file:///etc/passwd' }],
    ['afterMs', { url: 'https://x.example/mcp', afterMs: 0 }],
    ['idleMs', { url: 'https://x.example/mcp', idleMs: -1 }],
    ['tasks', { url: 'https://x.example/mcp', tasks: 'render' }],
    ['transport', { transport: {} }],
    ['there is no option', { url: 'https://x.example/mcp', after: 2000 }],
  ])('are refused where they cannot be used: %s', (problem, options) => {
    expect(() => createTaskGateway(options as TaskGatewayOptions)).toThrow(TaskConfigurationError)
    expect(() => createTaskGateway(options as TaskGatewayOptions)).toThrow(problem)
  })
})
