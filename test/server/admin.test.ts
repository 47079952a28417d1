import { InMemoryTaskStore } from 'taskwire/server'
import { type AdminGuard, createTaskAdmin } from 'taskwire/server/admin'
import { describe, expect, it, vi } from 'vitest'
import { startServer } from './support/serverUnderTest.js'
import { ask, slow } from './support/tools.js'

const BASE = 'https://ops.example/admin/'
const allow = () => true

function start(guard: AdminGuard = allow) {
  const t = startServer({ tools: [ask, slow] })
  const admin = createTaskAdmin({ server: t.server, guard })
  const get = (path: string) => admin.fetch(new Request(BASE + path))
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    admin.fetch(
      new Request(BASE + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
  return { ...t, admin, get, post }
}

describe('the admin page', () => {
  it('demands a guard and a server, in words', () => {
    const { server } = startServer({ tools: [] })
    expect(() => createTaskAdmin({ server } as never)).toThrow('there is no `guard`')
    expect(() => createTaskAdmin(undefined as never)).toThrow('`server` has no `operator`')
    expect(() => createTaskAdmin({ server: {}, guard: allow } as never)).toThrow('`server` has no `operator`')
  })

  it.each([
    ['returns false', () => false, 403],
    ['returns nothing', () => undefined as never, 403],
    ['returns something that is only truthy', () => 'yes' as never, 403],
    ['returns a response', () => new Response(null, { status: 401 }), 401],
    ['throws', () => Promise.reject(new Error('down')), 500],
  ])('lets nobody in, for any path, where the guard %s', async (_, guard, status) => {
    const t = start(guard)
    const taskId = await t.start('slow')
    const refused = [await t.get(''), await t.get('tasks'), await t.get('admin.js'), await t.post('cancel', { taskId })]
    expect(refused.map((response) => response.status)).toEqual([status, status, status, status])
    expect((await t.server.operator.open(taskId))?.cancelRequested).toBe(false)
  })

  it('serves a page that loads nothing from elsewhere and runs no script of its text', async () => {
    const t = start()
    const page = await t.get('')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('cache-control')).toBe('no-store')
    const html = await page.text()
    expect(html).not.toMatch(/<script(?![^>]*src=)|https?:|style=| on\w+=/)
    for (const [, file = ''] of html.matchAll(/(?:href|src)="([^"]+)"/g)) expect((await t.get(file)).status).toBe(200)
  })

  it('sends to the path with a slash at its end, without which the page would not find its files', async () => {
    const { admin } = start()
    const response = await admin.fetch(new Request('https://ops.example/ops/admin?a=1'))
    expect(response.status).toBe(308)
    expect(new URL(response.headers.get('location') ?? '', 'https://ops.example/ops/admin').pathname).toBe(
      '/ops/admin/',
    )
  })

  it('lists by what is asked for, opens and cancels', async () => {
    const t = start()
    const waiting = await t.start('ask')
    await t.clock.advance(10)
    const working = await t.start('slow')
    const all = (await (await t.get('tasks')).json()) as { tasks: { taskId: string }[] }
    expect(all.tasks.map(({ taskId }) => taskId)).toEqual([working, waiting])
    const query = new URLSearchParams({ status: 'input_required', tool: '', createdBefore: String(t.clock.now()) })
    expect(await (await t.get(`tasks?${query}`)).json()).toMatchObject({ tasks: [{ taskId: waiting }] })
    expect(await (await t.post('open', { taskId: waiting })).json()).toMatchObject({
      openInputRequests: ['elicitation-1'],
    })
    expect(await (await t.post('cancel', { taskId: working })).json()).toMatchObject({ cancelRequested: true })
  })

  it.each(['status=done', 'limit=x', 'limit=0', 'createdAfter=1.5', 'cursor=nonsense'])(
    'says what is wrong with the query %s',
    async (query) => {
      const response = await start().get(`tasks?${query}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ error: expect.stringContaining('Failed to list tasks') })
    },
  )

  it('changes nothing for a page of another origin', async () => {
    const t = start()
    const taskId = await t.start('slow')
    const refused = [
      await t.post('cancel', { taskId }, { 'sec-fetch-site': 'cross-site' }),
      await t.post('cancel', { taskId }, { 'sec-fetch-site': 'same-site' }),
      await t.post('cancel', { taskId }, { 'content-type': 'text/plain' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    expect((await t.server.operator.open(taskId))?.cancelRequested).toBe(false)
    expect((await t.post('cancel', { taskId }, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  it('answers what makes no sense', async () => {
    const t = start()
    expect((await t.post('open', { taskId: 'nothing' })).status).toBe(404)
    expect((await t.post('open', {})).status).toBe(400)
    expect((await t.post('run-again', { taskId: 'nothing' })).status).toBe(400)
    expect((await t.post('toString', { taskId: 'x' })).status).toBe(404)
  })

  it('says no more than that the store failed', async () => {
    const store = new InMemoryTaskStore()
    vi.spyOn(store, 'list').mockRejectedValue(new Error('password=hunter2'))
    const { server } = startServer({ tools: [], store })
    const response = await createTaskAdmin({ server, guard: allow }).fetch(new Request(`${BASE}tasks`))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('hunter2')
  })
})
