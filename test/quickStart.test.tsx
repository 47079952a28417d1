import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient, type TaskClient } from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createTestServer } from 'taskwire/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { readResponse, rpcRequest } from './server/support/rpc.js'

// The client of the page, which `docs/examples/typedQuick/client.ts` makes for apps.
const page: { client?: TaskClient } = vi.hoisted(() => ({}))
vi.mock('../docs/examples/typedQuick/client', () => ({
  get client() {
    return page.client
  },
}))

// By a name that the compiler does not follow: client.ts registers its tools for every hook of the program.
const example = (name: string) => import(resolve('docs/examples/typedQuick', name))

// Why the tool fails, if it does.
let refusal: string | undefined

const report = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.string() }),
  taskSupport: 'required',
  async handler({ quarter }, { progress, sleep }) {
    await progress(0, 4, 'Africa')
    await sleep(2500)
    await progress(3, undefined, 'Asia, and more')
    await sleep(2500)
    if (refusal !== undefined) return { isError: true, content: [{ type: 'text', text: refusal }] }
    const title = `The report of ${quarter}`
    return { content: [{ type: 'text', text: title }], structuredContent: { title, total: 1234.5 } }
  },
})

function openPage(reason?: string) {
  refusal = reason
  const server = createTestServer({ tools: [report] })
  page.client = createTaskClient({ url: server.url, environment: server.environment })
  const advance = (ms: number) => act(() => server.advance(ms))
  const press = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))
  return { server, advance, press }
}

test('the quick start of React shows progress, then the result, and the end of a cancelled call beside its button', async () => {
  const { server, advance, press } = openPage()
  const { default: App } = await example('App.tsx')
  render(<App />)
  await press('Generate the weekly report')
  await advance(1000)
  expect(screen.getByRole('progressbar').parentElement?.textContent).toBe('Weekly reportAfricaCancel')
  expect(screen.getByRole('progressbar').getAttribute('value')).toBe('0')
  await advance(3000)
  screen.getByText('Asia, and more')
  expect(screen.getByRole('progressbar').hasAttribute('value')).toBe(false)
  await advance(2000)
  screen.getByText('Total: 1234.5')
  await press('Generate the weekly report')
  await advance(1000)
  await press('Cancel')
  await advance(5000)
  expect(screen.getByRole('status').textContent).toBe('The task was cancelled.')
  expect(screen.queryByRole('alert')).toBeNull()
  screen.getByRole('button', { name: 'Generate the weekly report' })
  expect(server.count('tools/call')).toBe(2)
})

test('the quick start of React says that the server is away, and why the tool has failed', async () => {
  const { server, advance, press } = openPage('There is no report of Q3.')
  const { default: App } = await example('App.tsx')
  render(<App />)
  await press('Generate the weekly report')
  await advance(1000)
  const repair = server.faults.status(503)
  await advance(3000)
  screen.getByText('Reconnecting…')
  repair()
  await advance(30_000)
  expect(screen.getByRole('alert').textContent).toBe('There is no report of Q3.')
})

test('the quick start of plain DOM shows progress, then the text of the result, and offers what can be done', async () => {
  const { advance, press } = openPage()
  const styles = document.createElement('style')
  styles.textContent = readFileSync('docs/examples/typedQuick/style.css', 'utf8')
  document.head.append(styles)
  onTestFinished(() => {
    styles.remove()
    document.body.replaceChildren()
  })
  await example('main.ts')
  // Styles that say how a bar is shown must not show one that is hidden.
  const bar = screen.getByRole('progressbar', { hidden: true })
  expect(getComputedStyle(bar).display).toBe('none')
  const buttons = () => screen.getAllByRole('button').map(({ textContent }) => textContent)
  expect(buttons()).toEqual(['Generate the weekly report'])
  await press('Generate the weekly report')
  await advance(1000)
  expect(screen.getByRole('status').textContent).toBe('Africa')
  expect(bar).toMatchObject({ value: 0, max: 4 })
  expect(getComputedStyle(bar).display).toBe('block')
  expect(buttons()).toEqual(['Cancel'])
  await advance(3000)
  expect(screen.getByRole('status').textContent).toBe('Asia, and more')
  expect(screen.getByRole('progressbar').hasAttribute('value')).toBe(false)
  await advance(2000)
  expect(screen.getByRole('status').textContent).toBe('The report of Q3')
  await press('Generate the weekly report')
  await advance(1000)
  await press('Cancel')
  await advance(5000)
  expect(screen.getByRole('status').textContent).toBe('The task was cancelled.')
  expect(buttons()).toEqual(['Generate the weekly report'])
})

test('the server of the quick start answers in development and in a preview of the build', async () => {
  const { mcp } = await example('mcp.ts')
  const use = vi.fn<(path: string, handle: RequestListener) => void>()
  const plugin = mcp()
  plugin.configureServer({ middlewares: { use } })
  plugin.configurePreviewServer({ middlewares: { use } })
  expect(use.mock.calls.map(([path]) => path)).toEqual(['/mcp', '/mcp'])
  for (const [, handle] of use.mock.calls) {
    const { result } = await readResponse(await ask(handle, rpcRequest('tools/list', {})))
    expect(result).toMatchObject({ tools: [{ name: 'generate_report' }] })
  }
})

/** What answers requests of Node, asked over HTTP. */
async function ask(handle: RequestListener, request: Request): Promise<Response> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, request)
}
