import { createSimulatedBrowser } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'

/** The error of a client whose server cannot be reached from a page at this URL. */
async function failure(url: string, page: string, fetch = () => Promise.reject(new TypeError('Failed to fetch'))) {
  const browser = createSimulatedBrowser()
  const environment = { ...browser.openPage().environment, baseUrl: () => page, fetch }
  const client = createTaskClient({ url, environment, retry: { connectAttempts: 1 } })
  const failed = client.connect().then(
    () => new Error('connected'),
    (error: Error) => error,
  )
  await browser.advance(1000)
  return (await failed).message
}

describe('the error of a server that a page cannot reach', () => {
  it('[EDGE-41] names the command with the origin of the page', async () => {
    const message = await failure('https://tasks.example/mcp', 'https://app.example/reports?q=3')
    expect(message).toContain('npx taskwire doctor https://tasks.example/mcp --origin https://app.example')
  })

  it('[EDGE-41] names no origin where page and server have the same, or where there is no page', async () => {
    expect(await failure('https://app.example/mcp', 'https://app.example/')).not.toContain('--origin')
  })

  it('[EDGE-41] names mixed content, which the page can tell by itself', async () => {
    const message = await failure('http://tasks.example/mcp', 'https://app.example/')
    expect(message).toContain('this page came over https:, and browsers block its requests over http:')
    expect(message).not.toContain('doctor')
  })

  it('[EDGE-41] does not take a server on this computer for mixed content', async () => {
    expect(await failure('http://localhost:3000/mcp', 'https://app.example/')).toContain('doctor')
  })

  it('[EDGE-41] takes a page of HTML with 501 for a wrong URL', async () => {
    const html = () =>
      Promise.resolve(
        new Response('<h1>Unsupported method</h1>', { status: 501, headers: { 'content-type': 'text/html' } }),
      )
    const message = await failure('https://tasks.example/mcp', 'https://app.example/', html as never)
    expect(message).toContain('Check that the URL is that of the MCP endpoint.')
    expect(message).not.toContain('fault')
  })

  it.each([
    ['an MCP error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Not implemented"}}'],
    ['other JSON', '{"message":"Not implemented"}'],
  ])('[EDGE-41] takes %s with 501 for a fault of the server', async (_, body) => {
    const json = () =>
      Promise.resolve(new Response(body, { status: 501, headers: { 'content-type': 'application/json' } }))
    const message = await failure('https://tasks.example/mcp', 'https://app.example/', json as never)
    expect(message).toContain('The fault is in the server')
    expect(message).not.toContain('Check that the URL')
  })
})
