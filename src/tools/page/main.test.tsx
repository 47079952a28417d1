import { createTaskServer, defineTool } from 'taskwire/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { PATIENCE } from '../../../test/support/patience.js'
import { PAGE } from '../cli/gateway/pageFiles.js'

const byId = (id: string) => document.getElementById(id) as HTMLElement

const refuse = async () => new Response(null, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } })

/** Opens the page, whose requests `fetch` answers. */
async function open(fetch: (url: string | URL, init?: RequestInit) => Promise<Response>): Promise<void> {
  vi.stubGlobal('fetch', fetch)
  onTestFinished(() => {
    document.body.replaceChildren()
    sessionStorage.clear()
    vi.resetModules()
  })
  document.body.innerHTML = PAGE.slice(PAGE.indexOf('<header>'), PAGE.indexOf('</body>'))
  await import('./main.js')
}

it('says that the gateway refuses the token that was entered', async () => {
  await open(refuse)
  await vi.waitFor(() => expect(byId('token').hidden).toBe(false), PATIENCE)
  expect(byId('problem').textContent).toBe('')
  const field = byId('token-field') as HTMLInputElement
  field.value = 'wrong'
  byId('token').dispatchEvent(new Event('submit', { cancelable: true }))
  await vi.waitFor(() => expect(byId('problem').textContent).toBe('The gateway refuses this token.'), PATIENCE)
  expect(byId('token').hidden).toBe(false)
})

it('asks for the token where a gateway that was started again wants one from then on', async () => {
  const schema = { inputSchema: z.object({}), taskSupport: 'optional' } as const
  const echo = defineTool({ name: 'echo', ...schema, handler: () => ({ content: [] }) })
  const server = createTaskServer({ serverInfo: { name: 'test', version: '1' }, tools: [echo] })
  let isLocked = false
  await open((url, init) => {
    const isLet = !isLocked || new Headers(init?.headers).get('authorization') === 'Bearer right'
    return isLet ? server.fetch(new Request(new URL(url, 'http://localhost:3000'), init)) : refuse()
  })
  await vi.waitFor(() => expect(byId('summary').textContent).toContain('1 tool at'), PATIENCE)
  expect(byId('token').hidden).toBe(true)
  isLocked = true
  location.hash = '#echo'
  await vi.waitFor(() => expect(document.querySelector('#tool form')).not.toBeNull(), PATIENCE)
  document.querySelector('#tool form')?.dispatchEvent(new Event('submit', { cancelable: true }))
  await vi.waitFor(() => expect(byId('token').hidden).toBe(false), PATIENCE)
  const field = byId('token-field') as HTMLInputElement
  field.value = 'right'
  byId('token').dispatchEvent(new Event('submit', { cancelable: true }))
  await vi.waitFor(() => expect(byId('token').hidden).toBe(true), PATIENCE)
})
