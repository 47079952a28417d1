import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/tools/cli/run.js'
import { testTerminal } from '../cli/support/testTerminal.js'
import { freePort } from '../support/freePort.js'
import { listen } from '../support/listen.js'
import { buildScripts } from './reportApp.js'

/** A page of another origin, and `npx taskwire gateway` in front of a published server that speaks over stdio. */
export interface GatewayApp {
  /** The app of the documentation. */
  readonly url: string
  /** An app that calls this tool. */
  urlOf(tool: string, args?: object): string
  /** The names of the tools that the server behind has run. */
  calls(): Promise<string[]>
  close(): Promise<void>
}

/** Where a package of the official servers begins. */
export const serverFile = (name: string): string =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`)

const teed = new URL('../gateway/teedServer.mjs', import.meta.url).pathname
let building: Promise<ReadonlyMap<string, string>> | undefined

/** Serves `gatewayPage.tsx` and starts a gateway with these options in front of this server. */
export async function startGatewayApp(server: readonly string[], options: readonly string[]): Promise<GatewayApp> {
  building ??= buildScripts({ gateway: 'test/browser/gatewayPage.tsx' })
  const [scripts, folder, port] = await Promise.all([building, mkdtemp(join(tmpdir(), 'gateway-')), freePort()])
  const page = await listen((request, response) => {
    const script = scripts.get(request.url ?? '')?.replaceAll('http://127.0.0.1:3000', `http://127.0.0.1:${port}`)
    const type = script === undefined ? 'html' : 'javascript'
    response.writeHead(200, { 'content-type': `text/${type}; charset=utf-8` }).end(script ?? PAGE)
  })
  const log = join(folder, 'log')
  const stop = new AbortController()
  const terminal = testTerminal({}, stop.signal)
  const args = ['gateway', '--port', `${port}`, '--allow-origin', page.origin, ...options]
  let print = () => {}
  const started = new Promise<void>((resolve) => {
    print = resolve
  })
  const command = ['--', process.execPath, teed, log, process.execPath, ...server]
  const exitCode = run([...args, ...command], { ...terminal, print: () => print() })
  if ((await Promise.race([started, exitCode])) !== undefined) throw new Error(terminal.warnings.join('\n'))
  return {
    url: page.origin,
    urlOf: (tool, args = {}) => `${page.origin}/?${new URLSearchParams({ tool, arguments: JSON.stringify(args) })}`,
    async calls() {
      const sent = (await readFile(log, 'utf8')).trim().split('\n')
      const messages = sent.map((line) => JSON.parse(line) as { method?: string; params?: { name: string } })
      return messages.flatMap(({ method, params }) => (method === 'tools/call' ? [params?.name ?? ''] : []))
    },
    async close() {
      stop.abort()
      await exitCode
      await page.close()
      await rm(folder, { recursive: true })
    },
  }
}

const PAGE = '<!doctype html><title>Gateway</title><body><script type="module" src="/gateway.js"></script>'
