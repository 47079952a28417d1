import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createWorkServer } from '../../../test/support/workServer.js'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import { hash } from '../record/hash.js'
import { checkTools } from './checkTools.js'
import { createToolsCheck } from './toolsCheck.js'
import { toolsHash } from './toolsHash.js'

beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'development')
  return () => vi.unstubAllEnvs()
})

async function connect(expected: (actual: string) => string | undefined, connections = 1) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const server = createWorkServer()
  const { environment } = server.browser.openPage()
  const lister = createTaskClient({ url: server.url, environment })
  const [tools] = await Promise.all([lister.listTools(), server.advance(100)])
  const before = server.count('tools/list')
  const expectedHash = expected(toolsHash(tools, hash))
  const client = createTaskClient({
    url: server.url,
    environment,
    ...(expectedHash !== undefined && { toolsHash: expectedHash }),
  })
  for (let each = 0; each < connections; each++) {
    void client.callTool({ name: 'echo', arguments: { text: 'hi' } })
    await server.advance(1000)
    await vi.dynamicImportSettled()
    await server.advance(1000)
  }
  return { said: warn.mock.calls.map(([message]) => message), listed: server.count('tools/list') - before }
}

describe('toolsHash', () => {
  it('of other tools is a warning in development, once', async () => {
    const { said } = await connect(() => '10b84979a10f3018ded6cf14191b', 2)
    expect(said).toEqual([expect.stringContaining('npx taskwire types')])
  })

  it('of the tools of the server is none', async () => {
    expect(await connect((actual) => actual)).toMatchObject({ said: [], listed: 1 })
  })

  it('that is not given asks nothing', async () => {
    expect(await connect(() => undefined)).toMatchObject({ said: [], listed: 0 })
  })

  it('is compared with the tools once, when the client has connected', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const check = createToolsCheck('10b84979a10f3018ded6cf14191b')
    const asked: string[] = []
    for (const status of ['connecting', 'connected', 'connected'] as const) {
      check({ status }, async () => {
        asked.push(status)
        return []
      })
    }
    await vi.dynamicImportSettled()
    expect(asked).toEqual(['connected'])
  })

  it('is no warning where the server cannot be asked', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await checkTools('10b84979a10f3018ded6cf14191b', () => Promise.reject(new Error('down')), hash)
    expect(warn).not.toHaveBeenCalled()
  })

  it('asks nothing in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(await connect(() => '10b84979a10f3018ded6cf14191b')).toEqual({ said: [], listed: 0 })
  })
})
