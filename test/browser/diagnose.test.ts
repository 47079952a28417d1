import type { Browser } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Diagnosis } from '../../src/tools/diagnose/judge.js'
import { doctoredServer } from '../cli/support/doctoredServer.js'
import { freedUrl, serve } from '../cli/support/serve.js'
import { launchChromium } from './chromium.js'

let browser: Browser
let script = ''

beforeAll(async () => {
  const outputs = (await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry: 'src/diagnose.ts', formats: ['es'] } },
  })) as Rolldown.RolldownOutput[]
  const [chunk] = outputs.flatMap(({ output }) => output)
  script = chunk?.type === 'chunk' ? chunk.code : ''
  browser = await launchChromium()
})

afterAll(() => browser?.close())

/** What a page of another origin finds out about a server, in a browser that means it. */
async function diagnoseIn(server: string): Promise<Diagnosis['findings']> {
  const app = await serve(async ({ url }) => {
    const [body, type] = url.endsWith('.js') ? [script, 'javascript'] : ['<!doctype html><title>App</title>', 'html']
    return new Response(body, { headers: { 'Content-Type': `text/${type}` } })
  })
  const page = await browser.newPage()
  await page.goto(app)
  const diagnosis = (await page.evaluate(
    // As a text, since it is no code of this process.
    `import('/diagnose.js').then(({ diagnose }) => diagnose({ url: ${JSON.stringify(server)} }))`,
  )) as Diagnosis
  await page.close()
  return diagnosis.findings
}

const checksOf = (findings: Diagnosis['findings']) => findings.map(({ check }) => check)

it('diagnose() finds nothing on a server that lets the page in', async () => {
  expect(await diagnoseIn(await serve(doctoredServer()))).toEqual([])
})

it('diagnose() tells a server without CORS from one that is not there', async () => {
  expect(checksOf(await diagnoseIn(await serve(doctoredServer({}, { cors: false }))))).toEqual(['preflight'])
  expect(checksOf(await diagnoseIn(await freedUrl()))).toEqual(['reachable'])
})

it('diagnose() names the headers that a server does not allow', async () => {
  const server = doctoredServer({
    response: (headers) => {
      if (headers.has('access-control-allow-headers')) {
        headers.set('access-control-allow-headers', 'content-type, mcp-protocol-version')
      }
      return undefined
    },
  })
  const findings = await diagnoseIn(await serve(server))
  expect(checksOf(findings)).toEqual(['preflight-headers'])
  expect(findings[0]?.problem).toContain('mcp-method and mcp-name')
})

it('diagnose() knows a page of HTML by its type', async () => {
  const server = async () =>
    new Response('<h1>Sign in</h1>', {
      headers: { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' },
    })
  expect(checksOf(await diagnoseIn(await serve(server)))).toEqual(['mcp'])
})

it('diagnose() sees a redirect', async () => {
  const server = async ({ method }: Request) =>
    new Response(null, {
      status: method === 'OPTIONS' ? 204 : 308,
      headers: { Location: '/mcp/', 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' },
    })
  expect(checksOf(await diagnoseIn(await serve(server)))).toEqual(['redirect'])
})
