import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPackedApp, type PackedApp } from './packedApp.js'

/** React, and nothing of the app besides. */
const packages = ['react-dom', 'vite']
const without = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/server', '@tanstack/query-core', 'msw']

let app: PackedApp

beforeAll(async () => {
  app = await createPackedApp({ packages, without })
  await writeFile(join(app.path, 'package.json'), '{"type":"module"}')
})

afterAll(() => app?.remove())

test("[EDGE-24] every module of taskwire/react begins with 'use client', and no other module has it", async () => {
  const dist = join(app.installed, 'dist')
  const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'))
  const marked: string[] = []
  for (const file of files) {
    const code = await readFile(join(dist, file), 'utf8')
    const isMarked = /^(['"])use client\1;?\n/.test(code)
    if (isMarked) marked.push(file)
    expect(code.includes('use client'), file).toBe(isMarked)
  }
  expect(marked).toContain('react.js')
  expect(marked).toEqual(files.filter((file) => /^(bindings[\\/]react[\\/]|react\.js$)/.test(file)))
})

test('[EDGE-24] an app is rendered on a server: with a relative url, a query that is pending, and a fallback', async () => {
  const printed = await app.run(['--input-type=module', '--eval', SERVER_RENDERING])
  const { html, errors } = JSON.parse(printed)
  expect(html).toContain('<p>pending</p>')
  expect(html).toContain('<p>Loading the report</p>')
  // Next.js takes it by this digest for what it is: the component renders in the browser.
  expect(html).toContain('data-dgst="BAILOUT_TO_CLIENT_SIDE_RENDERING"')
  expect(errors).toEqual([
    {
      name: 'TaskConfigurationError',
      digest: 'BAILOUT_TO_CLIENT_SIDE_RENDERING',
      reason: 'useSuspenseToolCall()',
      message: expect.stringContaining('Wrap the component in <Suspense>'),
    },
  ])
})

const SERVER_RENDERING = `
  import { createElement, Suspense } from 'react'
  import { renderToPipeableStream } from 'react-dom/server'
  import { Writable } from 'node:stream'
  import { createTaskClient } from 'taskwire'
  import { TaskClientProvider, useSuspenseToolCall, useToolCall } from 'taskwire/react'

  const client = createTaskClient({ url: '/mcp' })
  const Report = () => createElement('p', null, useToolCall({ name: 'report' }).status)
  const Suspended = () => createElement('p', null, useSuspenseToolCall({ name: 'report' }).status)
  const page = createElement(
    TaskClientProvider,
    { client },
    createElement(Report),
    createElement(Suspense, { fallback: createElement('p', null, 'Loading the report') }, createElement(Suspended)),
  )
  const errors = []
  const onError = (error) => {
    const { name, digest, reason, message } = error
    errors.push({ name, digest, reason, message })
    return digest
  }
  let html = ''
  const sink = new Writable({ write: (chunk, _, done) => { html += chunk; done() } })
  sink.on('finish', () => console.log(JSON.stringify({ html, errors })))
  const stream = renderToPipeableStream(page, { onError, onAllReady: () => stream.pipe(sink) })
`

describe('where a package is missing', () => {
  /** What a build of an app says that imports this entry and lacks that package. */
  async function buildWithout(name: string, entry: string): Promise<string> {
    const link = join(app.path, 'node_modules', name)
    const target = join(import.meta.dirname, '../../node_modules', name)
    await writeFile(join(app.path, 'index.html'), '<script type="module" src="/main.js"></script>')
    await writeFile(join(app.path, 'main.js'), `import * as entry from '${entry}'\nconsole.log({ ...entry })\n`)
    await rm(link)
    try {
      await app.run([app.bin('vite', 'bin/vite.js'), 'build'])
    } catch (error) {
      return (error as Error).message
    } finally {
      await symlink(target, link, 'junction')
    }
    throw new Error('The app was built.')
  }

  test.for([
    ['@modelcontextprotocol/client', 'taskwire'],
    ['@tanstack/react-query', 'taskwire/react'],
    ['@tanstack/solid-query', 'taskwire/solid'],
    ['@tanstack/svelte-query', 'taskwire/svelte'],
    ['@tanstack/vue-query', 'taskwire/vue'],
  ] as const)('[EDGE-25] a build without %s fails with one error that names it', async ([name, entry]) => {
    const said = await buildWithout(name, entry)
    expect(said).toContain('Build failed with 1 error')
    // The sentence of the error, not the code below it.
    const sentences = said.split('\n').filter((line) => line.includes(name) && /resolve|not exported/.test(line))
    expect(sentences).toHaveLength(1)
  })

  test.for(['taskwire/server', 'taskwire/testing'])(
    '[EDGE-25] %s says in Node which package is missing',
    async (entry) => {
      const running = app.run(['--input-type=module', '--eval', `await import('${entry}')`])
      await expect(running).rejects.toThrow(/Cannot find package '@modelcontextprotocol\/server' imported from/)
    },
  )
})
