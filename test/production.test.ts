import { beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => {
  // What is left out of a production build is known when the modules are loaded.
  vi.resetModules()
  vi.stubEnv('NODE_ENV', 'production')
  return () => vi.unstubAllEnvs()
})

it.each([
  ['taskwire', () => import('taskwire')],
  ['taskwire/lite', () => import('taskwire/lite')],
])('a client of %s makes its calls in production, and checks nothing that a developer got wrong', async (_, load) => {
  const warn = vi.spyOn(console, 'warn')
  const { createTaskClient } = await load()
  const { createWorkServer } = await import('./support/workServer.js')
  const server = createWorkServer()
  const mistaken = { resumes: 'lazy', toolsHash: 'of other tools' }
  const client = createTaskClient({ url: server.url, environment: server.environment, ...mistaken })
  const call = (seconds: number) => client.callTool({ name: 'work', arguments: { seconds } }, { key: 'k' })
  const results = Promise.all([call(1), call(1)])
  await expect(call(2)).rejects.toMatchObject({ name: 'ToolCallKeyConflictError' })
  await server.advance(5000)
  await expect(results).resolves.toMatchObject([1, 1].map((seconds) => ({ structuredContent: { seconds } })))
  expect(warn).not.toHaveBeenCalled()
})

it.each([
  ['taskwire', () => import('taskwire')],
  ['taskwire/lite', () => import('taskwire/lite')],
])('an error of %s says in production what happened, and where the advice is', async (_, load) => {
  const { createTaskClient, READ_MORE } = { ...(await load()), ...(await import('../src/core/protocol/readMore.js')) }
  const { createSimulatedBrowser } = await import('taskwire/testing')
  const browser = createSimulatedBrowser({ fetch: () => Promise.reject(new TypeError('Failed to fetch')) })
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    environment: browser.openPage().environment,
    retry: { connectAttempts: 1 },
  })
  await expect(client.connect()).rejects.toThrow(`Failed to fetch. ${READ_MORE}`)
  const [address = '', section = ''] = READ_MORE.replace('See ', '').split('#')
  expect(address.endsWith('/docs/errors.md')).toBe(true)
  const page = await import('node:fs/promises').then((fs) => fs.readFile('docs/errors.md', 'utf8'))
  expect(page.toLowerCase()).toContain(`## ${section.replaceAll('-', ' ')}`)
})
